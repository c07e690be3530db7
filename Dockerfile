# Images with scan, built from this folder.
#
#   docker build -t postgres-scan:18 --build-arg PG_MAJOR=18 .
#       PostgreSQL's own image, with scan: PG_MAJOR is 15 to 19
#   docker build -t scan:18 --build-arg PG_MAJOR=18 --target extension .
#       the files of the extension alone, for image volumes of Kubernetes (CloudNativePG); PostgreSQL 18 and 19
#
# sql/administration.md, "Images", says how they are used.  test/t/images.t runs the steps that lay out the files.

ARG PG_MAJOR=18
ARG DEBIAN=trixie

FROM postgres:${PG_MAJOR}-${DEBIAN} AS build
# The headers of the server that the image has: a library that was built with newer ones may not load there.
RUN apt-get update && \
    apt-get install -y --no-install-recommends gcc libc6-dev make "postgresql-server-dev-$PG_MAJOR=$PG_VERSION"
COPY . /scan
WORKDIR /scan
RUN make -j"$(nproc)" PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" SCAN_OPTIMIZE='-O2 -g0'
# All that `make install` installs, but what replaces a device in tests.
RUN make install DESTDIR=/installed PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" && \
    rm "/installed/usr/lib/postgresql/$PG_MAJOR/lib/scan_mock.so" && \
    mkdir -p "/installed/usr/share/doc/postgresql-$PG_MAJOR-scan" && \
    cp LICENSE "/installed/usr/share/doc/postgresql-$PG_MAJOR-scan/copyright"
# The same in the layout of an extension image.  $libdir/plugins is always a folder of the server, so it would not be found.
RUN mkdir -p /image/licenses/scan /image/share && \
    cp LICENSE /image/licenses/scan/ && \
    cp -R "/installed/usr/share/postgresql/$PG_MAJOR/extension" /image/share/ && \
    cp -R "/installed/usr/lib/postgresql/$PG_MAJOR/lib" /image/ && \
    rm -r /image/lib/plugins
# An image whose server cannot load the library is not made.
RUN cp -R /installed/. / && \
    gosu postgres initdb -D /tmp/try >/dev/null && \
    echo 'CREATE EXTENSION scan; SELECT scan_sum(1) OVER ();' | gosu postgres postgres --single -c exit_on_error=on -D /tmp/try postgres

FROM scratch AS extension
COPY --from=build /image/ /
USER 65532:65532

FROM postgres:${PG_MAJOR}-${DEBIAN}
COPY --from=build /installed/ /
