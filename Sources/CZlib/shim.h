// zlib, for permessage-deflate and gzip.
#ifndef RIBSERVER_CZLIB_H
#define RIBSERVER_CZLIB_H

#include <zlib.h>

#endif
