# SPDX-License-Identifier: GPL-2.0-or-later
# The variables of a Fortran module: in its procedures by name, elsewhere with its name before them.
. "$SUITE/lib.sh"
command -v gfortran >/dev/null || skip "needs gfortran"
cat >two.f90 <<'F'
module first
 integer :: count = 11
contains
 subroutine adds(n)
  integer, intent(in) :: n
  count = count + n
 end subroutine
end module
module second
 integer :: count = 21
contains
 subroutine takes(n)
  integer, intent(in) :: n
  count = count - n
 end subroutine
end module
program main
 use first, only: adds
 use second, only: takes
 call adds(5)
 call takes(6)
end program
F
expect 0 gfortran -g -O0 -o two two.f90
expect 0 "$SPILE" --engine=user -c ./two -e '
probe process("./two").statement("*@two.f90:7") { println("adds ", $count) }
probe process("./two").statement("*@two.f90:15") { println("takes ", $count, " ", @var("first::count"), " ", @var("second::count")) }'
is 'adds 16
takes 15 16 15'
