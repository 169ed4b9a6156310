dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl What must be installed. Everything missing is collected and told at once, with the Debian package that brings it.

dnl SP_REQUIRE_PKG(VARIABLE, MODULE, MINIMUM, DEBIAN-PACKAGE): VARIABLE_CFLAGS, VARIABLE_LIBS, VARIABLE_VERSION.
AC_DEFUN([SP_REQUIRE_PKG], [
  PKG_CHECK_MODULES([$1], [$2 >= $3],
    [$1_VERSION=`$PKG_CONFIG --modversion $2`],
    [sp_missing="$sp_missing
    $2 $3 or later   (Debian: $4)"
     sp_missing_packages="$sp_missing_packages $4"])
])

dnl SP_LINKED_NAME(VARIABLE, LIBRARY, INCLUDES, BODY): the name by which a program with BODY asks for LIBRARY; empty: it does not link.
AC_DEFUN([SP_LINKED_NAME], [
  sp_save_LIBS=$LIBS
  LIBS="-l$2 $LIBS"
  $1=
  AC_LINK_IFELSE([AC_LANG_PROGRAM([$3], [$4])],
    [$1=`$OBJDUMP -p conftest$EXEEXT | sed -n 's/^ *NEEDED *\(lib$2[[^ ]]*\)$/\1/p'`])
  LIBS=$sp_save_LIBS
])

dnl SP_REQUIRE_LLVM(OLDEST, NEWEST): LLVM_CPPFLAGS, LLVM_LDFLAGS, LLVM_LIBS, LLVM_VERSION. LLVM_CONFIG= chooses one.
AC_DEFUN([SP_REQUIRE_LLVM], [
  AC_ARG_VAR([LLVM_CONFIG], [the llvm-config program of the LLVM to build with ($1 to $2)])
  AS_IF([test -n "$LLVM_CONFIG"], [sp_llvm_candidates=$LLVM_CONFIG], [
    sp_llvm_candidates=
    sp_n=$2
    while test "$sp_n" -ge $1; do
      sp_llvm_candidates="$sp_llvm_candidates llvm-config-$sp_n llvm-config$sp_n"
      sp_n=`expr $sp_n - 1`
    done
    sp_llvm_candidates="$sp_llvm_candidates llvm-config"
  ])
  AC_MSG_CHECKING([for LLVM $1 to $2])
  LLVM_VERSION=
  for sp_candidate in $sp_llvm_candidates; do
    sp_version=`"$sp_candidate" --version 2>/dev/null` || continue
    sp_major=${sp_version%%.*}
    AS_IF([test "$sp_major" -ge $1 && test "$sp_major" -le $2], [
      LLVM_CONFIG=$sp_candidate
      LLVM_VERSION=$sp_version
      break
    ])
  done
  AS_IF([test -z "$LLVM_VERSION"], [
    AC_MSG_RESULT([no])
    sp_missing="$sp_missing
    LLVM $1 to $2, tried: $sp_llvm_candidates   (Debian: llvm-19-dev)"
    sp_missing_packages="$sp_missing_packages llvm-19-dev"
  ], [
    AC_MSG_RESULT([$LLVM_VERSION ($LLVM_CONFIG)])
    AC_MSG_CHECKING([for LLVM's BPF target])
    AS_CASE([" `$LLVM_CONFIG --targets-built` "], [*" BPF "*], [AC_MSG_RESULT([yes])], [
      AC_MSG_RESULT([no])
      AC_MSG_ERROR([this LLVM was built without the BPF target; choose another one with LLVM_CONFIG=])
    ])
    dnl The C++ and debugging options of --cflags are LLVM's business: take the include path only.
    LLVM_CPPFLAGS="-isystem `$LLVM_CONFIG --includedir`"
    LLVM_LDFLAGS=`$LLVM_CONFIG --ldflags`
    SP_LLVM_STATIC
    AS_IF([test "x$llvm_linking" = xshared], [LLVM_LIBS=`$LLVM_CONFIG --link-shared --libs`])
  ])
  LLVM_MAJOR=${LLVM_VERSION%%.*}
  AC_SUBST([LLVM_MAJOR])
  AC_SUBST([LLVM_CPPFLAGS])
  AC_SUBST([LLVM_LDFLAGS])
  AC_SUBST([LLVM_LIBS])
  AC_SUBST([LLVM_MODULE_LDFLAGS])
])

dnl SP_LLVM_STATIC: llvm_linking, and LLVM_LIBS if it is static. Of the archives, the module takes what it calls. The shared library
dnl takes longer to load than most scripts take to compile: 50,000 symbols to look up, and six other libraries. So does libstdc++, with
dnl 4,000, of which little is taken from its archive. What remains to be relocated, 50,000 addresses, is listed in 30 KB in place of
dnl 1.2 MB where libc can read that.
AC_DEFUN([SP_LLVM_STATIC], [
  AC_ARG_ENABLE([static-llvm],
    [AS_HELP_STRING([--disable-static-llvm], [take LLVM's shared library, even if its archives are installed])],
    [], [enable_static_llvm=auto])
  llvm_linking=shared
  AS_IF([test "x$enable_static_llvm" != xno], [
    AC_MSG_CHECKING([whether LLVM's archives can be linked])
    dnl What calls libxml2 and Z3 is not taken.
    sp_llvm_libs=`$LLVM_CONFIG --link-static --libs bpf passes linker bitreader 2>/dev/null &&
      $LLVM_CONFIG --link-static --system-libs | sed 's,-lxml2,,; s,[[^ ]]*z3[[^ ]]*,,'`
    sp_save_LIBS=$LIBS sp_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $LLVM_CPPFLAGS"
    for sp_cxx_lib in -l:libstdc++.a -lstdc++; do
      LIBS="$LLVM_LDFLAGS "`echo $sp_llvm_libs`" $sp_cxx_lib $sp_save_LIBS"
      AC_LINK_IFELSE([AC_LANG_PROGRAM([#include <llvm-c/Target.h>], [LLVMInitializeBPFTarget()])], [llvm_linking=static; break])
    done
    LIBS=$sp_save_LIBS CPPFLAGS=$sp_save_CPPFLAGS
    AC_MSG_RESULT([`test $llvm_linking = static && echo yes || echo no`])
    AS_IF([test $llvm_linking = static], [
      LLVM_LIBS=`echo $sp_llvm_libs $sp_cxx_lib`
      LLVM_MODULE_LDFLAGS=-Wl,--gc-sections
      sp_save_LDFLAGS=$LDFLAGS
      LDFLAGS="$LDFLAGS -Wl,-z,pack-relative-relocs"
      AC_RUN_IFELSE([AC_LANG_PROGRAM([], [])],
        [LLVM_MODULE_LDFLAGS="$LLVM_MODULE_LDFLAGS -Wl,-z,pack-relative-relocs"], [], [:])
      LDFLAGS=$sp_save_LDFLAGS
    ], [test "x$enable_static_llvm" = xyes], [
      AC_MSG_ERROR([LLVM's archives cannot be linked, config.log says why   (Debian: llvm-$sp_major-dev libzstd-dev g++)])
    ])
  ])
])

dnl SP_REQUIRED_DONE: stops with one message that names everything missing.
AC_DEFUN([SP_REQUIRED_DONE], [
  AS_IF([test -n "$sp_missing"], [
    AC_MSG_ERROR([missing:$sp_missing

  On Debian: apt-get install$sp_missing_packages   (or run ./quickstart, which does it for you)
  To build the run-time side alone, without LLVM and libdw: ./configure --disable-compiler])
  ])
])
