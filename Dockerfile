# syntax=docker/dockerfile:1

# One image for a server on its own, and one for the nodes of a cluster, which has libpq besides:
#   docker build -t ribd .
#   docker build -t ribd-cluster --target ribd-cluster .

FROM swift:6.3-bookworm AS sources

RUN export DEBIAN_FRONTEND=noninteractive \
 && apt-get update \
 && apt-get install -y --no-install-recommends libcurl4-openssl-dev libsqlite3-dev zlib1g-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /src

# The dependencies first: this layer stays valid until the manifest changes. (The pattern also takes Package.resolved,
# where there is one.)
COPY Package.* ./
RUN swift package resolve

COPY Sources ./Sources
# The page and the client for browsers, which become a part of the binary.
COPY web ./web
# The manifest names the test targets and what they share with the fuzzer, and must find their folders.
COPY Tests ./Tests
COPY Fuzz/Sources ./Fuzz/Sources


# The Swift runtime goes into the binaries, so the images below need no toolchain libraries.
FROM sources AS build-ribd

RUN swift build -c release --product ribd --static-swift-stdlib \
 && install -D "$(swift build -c release --show-bin-path)/ribd" /out/ribd


FROM sources AS build-ribd-cluster

RUN export DEBIAN_FRONTEND=noninteractive \
 && apt-get update \
 && apt-get install -y --no-install-recommends libpq-dev \
 && rm -rf /var/lib/apt/lists/*
RUN swift build -c release --product ribd-cluster --static-swift-stdlib \
 && install -D "$(swift build -c release --show-bin-path)/ribd-cluster" /out/ribd-cluster


FROM debian:bookworm-slim AS runtime

# libcurl, libgcc, libsqlite3, libstdc++ and zlib are what a binary with the Swift runtime inside still needs.
RUN export DEBIAN_FRONTEND=noninteractive \
 && apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl4 libgcc-s1 libsqlite3-0 libstdc++6 zlib1g \
 && rm -rf /var/lib/apt/lists/*

# A fixed id, so that the owner of a mounted volume can be set from outside.
RUN groupadd --gid 10001 ribd \
 && useradd --uid 10001 --gid ribd --no-create-home --home-dir /var/lib/ribd --shell /usr/sbin/nologin ribd \
 && install -d -o ribd -g ribd -m 0700 /var/lib/ribd

# A trap in a riblet's code ends the process: a report in crashes/ is what says where, and the next start names it in the log. Registers
# may hold what users typed, so they stay out of it.
COPY --from=sources /usr/libexec/swift/linux/swift-backtrace-static /usr/local/libexec/swift-backtrace-static
ENV SWIFT_BACKTRACE=enable=yes,interactive=no,color=no,registers=none,sanitize=yes,output-to=/var/lib/ribd/crashes,swift-backtrace=/usr/local/libexec/swift-backtrace-static

COPY config/ribd.json /etc/ribd/ribd.json

# By its number, so that Kubernetes sees that it is not root's.
USER 10001:10001
WORKDIR /var/lib/ribd
# What outlives the process is here. For ribd these are the sessions: without a volume they end with the container.
VOLUME /var/lib/ribd
EXPOSE 8080


FROM runtime AS ribd-cluster

USER 0:0
RUN export DEBIAN_FRONTEND=noninteractive \
 && apt-get update \
 && apt-get install -y --no-install-recommends libpq5 \
 && rm -rf /var/lib/apt/lists/*
USER 10001:10001

COPY --from=build-ribd-cluster /out/ribd-cluster /usr/local/bin/ribd-cluster
# The port that other nodes dial.
EXPOSE 7000

# Host and port are flags because they outrank the file: in a container, loopback would be unreachable.
ENTRYPOINT ["ribd-cluster", "--host", "0.0.0.0", "--port", "8080", "--config", "/etc/ribd/ribd.json"]

# Not whether it is ready: a server whose database is away, or that asks its clients to go elsewhere, is well.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
  CMD ["ribd-cluster", "health", "--host", "0.0.0.0", "--port", "8080", "--config", "/etc/ribd/ribd.json"]


FROM runtime AS ribd

COPY --from=build-ribd /out/ribd /usr/local/bin/ribd

# Host and port are flags because they outrank the file: in a container, loopback would be unreachable.
ENTRYPOINT ["ribd", "--host", "0.0.0.0", "--port", "8080", "--config", "/etc/ribd/ribd.json"]

# Not whether it is ready: a server that asks its clients to go elsewhere is well.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
  CMD ["ribd", "health", "--host", "0.0.0.0", "--port", "8080", "--config", "/etc/ribd/ribd.json"]
