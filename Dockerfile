# `docker build --target test .` runs the suites that need no browser and no spreadsheet;
# `--target fetch` is what brings prices up to date, with curl; the last stage is what runs: the
# daemon, the page, four libraries, no tools.
# RELEASE is Debian's: trixie (13), or bookworm (12), which has the same packages.
ARG RELEASE=trixie
FROM debian:${RELEASE}-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      make gcc libc6-dev libmicrohttpd-dev libjansson-dev libpq-dev zlib1g-dev \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
WORKDIR /gpuplan
COPY Makefile CHANGELOG.md ./
COPY service service
# The release in CHANGELOG.md where it is not given.
ARG VERSION
RUN make -j"$(nproc)" ${VERSION:+VERSION="$VERSION"} build

FROM build AS test
RUN mkdir -p /etc/postgresql-common \
 && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
 && apt-get update \
 && apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold \
      curl perl postgresql prometheus python3-jsonschema python3-numpy python3-pytest python3-yaml \
      shellcheck zsh \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
# The tests start PostgreSQL servers, which do not run as root.
RUN useradd --create-home tester
COPY . .
RUN chown -R tester: .
USER tester
RUN make -j"$(nproc)" ${VERSION:+VERSION="$VERSION"} check-unit \
 && make ${VERSION:+VERSION="$VERSION"} check-sql check-api check-golden

FROM debian:${RELEASE}-slim AS fetch
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      ca-certificates curl libmicrohttpd12 libjansson4 libpq5 zlib1g \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY --from=build /gpuplan/build/release/gpuplan /usr/local/bin/gpuplan
USER 900:900
ENTRYPOINT ["/usr/local/bin/gpuplan"]
CMD ["fetch"]

FROM debian:${RELEASE}-slim AS run
RUN apt-get update \
 && apt-get install -y --no-install-recommends libmicrohttpd12 libjansson4 libpq5 zlib1g \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
 && groupadd --system --gid 900 gpuplan \
 && useradd --system --uid 900 --gid 900 --home-dir /nonexistent --no-create-home \
      --shell /usr/sbin/nologin gpuplan
COPY --from=build /gpuplan/build/release/gpuplan /usr/local/bin/gpuplan
COPY static /usr/share/gpuplan/static
COPY api/sheets/gpuplan.ods api/sheets/gpuplan.xlsx /usr/share/gpuplan/api/sheets/
ENV GPUPLAN_LISTEN=0.0.0.0:8080 \
    GPUPLAN_ADMIN_LISTEN=127.0.0.1:8081 \
    GPUPLAN_STATIC=/usr/share/gpuplan/static
USER 900:900
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["/usr/local/bin/gpuplan", "--ready"]
ENTRYPOINT ["/usr/local/bin/gpuplan"]
