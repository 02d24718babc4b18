# The exporter on Debian: built in one stage, run in another of the same release. docs/container.md says how.
ARG BUILDER_IMAGE=docker.io/library/swift:6.3-bookworm
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILDER_IMAGE} AS build
WORKDIR /build
# What changes least comes first: libraries, packages, then the sources.
COPY scripts/packages scripts/packages
RUN scripts/packages build
COPY Package.* ./
RUN swift package resolve
COPY . .
ARG REVISION=unknown
ARG BRANCH=unknown
RUN executable=$(NHE_REVISION=${REVISION} NHE_BRANCH=${BRANCH} scripts/build) \
    && scripts/lib/stripped "$executable" /network-health-exporter \
    && /network-health-exporter --version

FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libcrypt1 libcurl3-gnutls libgnutls30 libmicrohttpd12 \
        libpcre2-8-0 libsqlite3-0 libsystemd0 libyaml-0-2 tzdata zlib1g \
    # What the exporter never reads; dpkg's list stays, for scanners (docs/container.md).
    && rm -rf /usr/bin/openssl /usr/bin/c_rehash /usr/lib/ssl/misc /usr/lib/*/libssl.so.3 /usr/lib/*/engines-3 \
        /usr/lib/*/ossl-modules /usr/lib/*/krb5 /usr/lib/*/sasl2 /usr/lib/*/libbrotlienc.so* \
        /usr/share/zoneinfo/posix /usr/share/zoneinfo/right /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* \
        /var/cache/ldconfig/* /var/log/apt /var/log/*.log /var/lib/dpkg/*-old \
        /var/lib/dpkg/info/*.symbols /var/lib/dpkg/info/*.templates
COPY LICENSE NOTICE /usr/share/doc/network-health-exporter/
COPY --from=build /network-health-exporter /usr/bin/network-health-exporter
# A new volume takes its owner from the image.
RUN install -d -o 65534 -g 65534 -m 0750 /data

ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=
LABEL org.opencontainers.image.title="network-health-exporter" \
      org.opencontainers.image.description="Prometheus exporter of a host's network path, its quality and its outages" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

ENV NHE_STORAGE_PATH=/data/network-health.db
VOLUME /data
USER 65534:65534
EXPOSE 10319
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/usr/bin/network-health-exporter", "healthcheck"]
ENTRYPOINT ["/usr/bin/network-health-exporter"]
