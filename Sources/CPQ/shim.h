// libpq: the client's side of PostgreSQL's protocol.
#ifndef RIBSERVER_CPQ_H
#define RIBSERVER_CPQ_H

#include <libpq-fe.h>

#endif
