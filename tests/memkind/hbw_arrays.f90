! SPDX-License-Identifier: Apache-2.0
program hbw_arrays
  use, intrinsic :: iso_fortran_env, only: real64, int32, int64
  use weir_hbw
  implicit none
  real(real64), pointer, contiguous :: field(:, :)
  real(real64), pointer, contiguous :: cube(:, :, :)
  integer(int32), pointer, contiguous :: counts(:)
  integer :: i, stat

  call hbw_allocate(field, 300, 400)
  field = 2
  if (any(shape(field) /= [300, 400]) .or. abs(sum(field) - 240000) > 0) error stop 2
  call hbw_allocate(counts, 1000, stat)
  if (stat /= 0) error stop 3
  counts = [(i, i = 1, 1000)]
  if (sum(counts) /= 500500) error stop 4
  call hbw_deallocate(counts)
  call hbw_deallocate(field)
  if (associated(field) .or. associated(counts)) error stop 5
  call hbw_allocate(counts, 0, stat)
  if (stat /= 0 .or. size(counts) /= 0) error stop 6
  call hbw_deallocate(counts)
  call hbw_allocate(field, 1073741824, 1073741824, stat)
  if (stat == 0 .or. associated(field)) error stop 7
  call hbw_allocate(cube, 2097152, 2097152, 2097152, stat)
  if (stat == 0 .or. associated(cube)) error stop 8
  call hbw_allocate(cube, 2147483647, -1, 2147483647, stat)
  if (stat /= 0 .or. size(cube) /= 0) error stop 9
  call hbw_deallocate(cube)
  ! Extents of 64 bits, of which one is more than 32 bits have.
  call hbw_allocate(field, 30_int64, 40_int64, stat)
  if (stat /= 0 .or. any(shape(field) /= [30, 40])) error stop 10
  call hbw_deallocate(field)
  call hbw_allocate(counts, 2305843009213693952_int64, stat)
  if (stat == 0 .or. associated(counts)) error stop 11
  print '(a)', 'right'
end program
