dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl SP_APPEND_FLAG(VARIABLE, FLAG, [required]): appends FLAG when the compiler takes it; stops without it if required.
AC_DEFUN([SP_APPEND_FLAG], [
  AS_VAR_PUSHDEF([cache], [sp_cv_flag_$2])
  AC_CACHE_CHECK([whether $CC takes $2], [cache], [
    sp_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$sp_save_CFLAGS
  ])
  AS_VAR_IF([cache], [yes], [$1="$$1 $2"],
    [m4_if([$3], [required], [AC_MSG_ERROR([$CC does not take $2])], [:])])
  AS_VAR_POPDEF([cache])
])
