! SPDX-License-Identifier: Apache-2.0
!
! weir_hbw: arrays in high-bandwidth memory for Fortran, through pointers, over hbw_malloc() of hbwmalloc.h. Any compiler
! for Fortran 2008; compile this file with the program, and link with weir or with Weir's libmemkind.
!
!   real(real64), pointer, contiguous :: field(:, :)
!   call hbw_allocate(field, 1000, 2000, stat)   ! stat: 0, or not 0 where there is no room; without it the program stops
!   call hbw_deallocate(field)
!
! What the policy of hbw_set_policy() says holds: by default ordinary memory is taken where there is none, and said once.
module weir_hbw
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real32, real64, int32, int64, error_unit
  implicit none
  private
  public :: hbw_allocate, hbw_deallocate, hbw_is_available

  interface
    function c_hbw_malloc(bytes) bind(c, name="hbw_malloc") result(data)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
      type(c_ptr) :: data
    end function
    subroutine c_hbw_free(data) bind(c, name="hbw_free")
      import :: c_ptr
      type(c_ptr), value :: data
    end subroutine
    function c_hbw_check_available() bind(c, name="hbw_check_available") result(error)
      import :: c_int
      integer(c_int) :: error
    end function
  end interface

  ! Extents are all of 32 bits, or all of 64.
  interface hbw_allocate
    module procedure allocate_real32_1, allocate_real32_2, allocate_real32_3, allocate_real64_1, &
      allocate_real64_2, allocate_real64_3, allocate_complex64_1, allocate_complex64_2, allocate_complex64_3, &
      allocate_int32_1, allocate_int32_2, allocate_int32_3, allocate_int64_1, allocate_int64_2, &
      allocate_int64_3, allocate_short_real32_1, allocate_short_real32_2, allocate_short_real32_3, &
      allocate_short_real64_1, allocate_short_real64_2, allocate_short_real64_3, allocate_short_complex64_1, &
      allocate_short_complex64_2, allocate_short_complex64_3, allocate_short_int32_1, allocate_short_int32_2, &
      allocate_short_int32_3, allocate_short_int64_1, allocate_short_int64_2, allocate_short_int64_3
  end interface
  interface hbw_deallocate
    module procedure deallocate_real32_1, deallocate_real32_2, deallocate_real32_3, deallocate_real64_1, &
      deallocate_real64_2, deallocate_real64_3, deallocate_complex64_1, deallocate_complex64_2, &
      deallocate_complex64_3, deallocate_int32_1, deallocate_int32_2, deallocate_int32_3, deallocate_int64_1, &
      deallocate_int64_2, deallocate_int64_3
  end interface

contains

  ! Whether this machine has high-bandwidth memory that the program may use.
  logical function hbw_is_available()
    hbw_is_available = c_hbw_check_available() == 0
  end function

  ! Of an array; an extent that is negative counts as 0, as in Fortran. -1: more than any memory has.
  integer(c_size_t) function bytes_of(extents, bits)
    integer(int64), intent(in) :: extents(:)
    integer, intent(in) :: bits
    integer(c_size_t) :: extent
    integer :: i
    bytes_of = merge(0, bits / 8, any(extents <= 0))
    do i = 1, size(extents)
      extent = max(extents(i), 1_int64)
      if (bytes_of > huge(bytes_of) / extent) then
        bytes_of = -1
        return
      end if
      bytes_of = bytes_of * extent
    end do
  end function

  ! Not associated where there is no room; an array without elements has a byte.
  type(c_ptr) function memory(bytes, stat)
    integer(c_size_t), intent(in) :: bytes
    integer, intent(out), optional :: stat
    memory = c_null_ptr
    if (bytes >= 0) memory = c_hbw_malloc(max(bytes, 1_c_size_t))
    if (present(stat)) then
      stat = merge(0, 1, c_associated(memory))
    else if (.not. c_associated(memory)) then
      if (bytes >= 0) write (error_unit, '(a, i0, a)') 'weir: hbw_allocate: no high-bandwidth memory for ', bytes, ' bytes'
      if (bytes < 0) write (error_unit, '(a)') 'weir: hbw_allocate: an array of more bytes than any memory has'
      error stop 1
    end if
  end function

  subroutine allocate_real32_1(array, n1, stat)
    real(real32), pointer, contiguous, intent(out) :: array(:)
    integer(int64), intent(in) :: n1
    integer, intent(out), optional :: stat
    real(real32) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1])
  end subroutine

  subroutine deallocate_real32_1(array)
    real(real32), pointer, contiguous, intent(inout) :: array(:)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_real32_2(array, n1, n2, stat)
    real(real32), pointer, contiguous, intent(out) :: array(:, :)
    integer(int64), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    real(real32) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2])
  end subroutine

  subroutine deallocate_real32_2(array)
    real(real32), pointer, contiguous, intent(inout) :: array(:, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_real32_3(array, n1, n2, n3, stat)
    real(real32), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int64), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    real(real32) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2, n3], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2, n3])
  end subroutine

  subroutine deallocate_real32_3(array)
    real(real32), pointer, contiguous, intent(inout) :: array(:, :, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_real64_1(array, n1, stat)
    real(real64), pointer, contiguous, intent(out) :: array(:)
    integer(int64), intent(in) :: n1
    integer, intent(out), optional :: stat
    real(real64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1])
  end subroutine

  subroutine deallocate_real64_1(array)
    real(real64), pointer, contiguous, intent(inout) :: array(:)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_real64_2(array, n1, n2, stat)
    real(real64), pointer, contiguous, intent(out) :: array(:, :)
    integer(int64), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    real(real64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2])
  end subroutine

  subroutine deallocate_real64_2(array)
    real(real64), pointer, contiguous, intent(inout) :: array(:, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_real64_3(array, n1, n2, n3, stat)
    real(real64), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int64), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    real(real64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2, n3], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2, n3])
  end subroutine

  subroutine deallocate_real64_3(array)
    real(real64), pointer, contiguous, intent(inout) :: array(:, :, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_complex64_1(array, n1, stat)
    complex(real64), pointer, contiguous, intent(out) :: array(:)
    integer(int64), intent(in) :: n1
    integer, intent(out), optional :: stat
    complex(real64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1])
  end subroutine

  subroutine deallocate_complex64_1(array)
    complex(real64), pointer, contiguous, intent(inout) :: array(:)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_complex64_2(array, n1, n2, stat)
    complex(real64), pointer, contiguous, intent(out) :: array(:, :)
    integer(int64), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    complex(real64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2])
  end subroutine

  subroutine deallocate_complex64_2(array)
    complex(real64), pointer, contiguous, intent(inout) :: array(:, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_complex64_3(array, n1, n2, n3, stat)
    complex(real64), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int64), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    complex(real64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2, n3], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2, n3])
  end subroutine

  subroutine deallocate_complex64_3(array)
    complex(real64), pointer, contiguous, intent(inout) :: array(:, :, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_int32_1(array, n1, stat)
    integer(int32), pointer, contiguous, intent(out) :: array(:)
    integer(int64), intent(in) :: n1
    integer, intent(out), optional :: stat
    integer(int32) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1])
  end subroutine

  subroutine deallocate_int32_1(array)
    integer(int32), pointer, contiguous, intent(inout) :: array(:)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_int32_2(array, n1, n2, stat)
    integer(int32), pointer, contiguous, intent(out) :: array(:, :)
    integer(int64), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    integer(int32) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2])
  end subroutine

  subroutine deallocate_int32_2(array)
    integer(int32), pointer, contiguous, intent(inout) :: array(:, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_int32_3(array, n1, n2, n3, stat)
    integer(int32), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int64), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    integer(int32) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2, n3], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2, n3])
  end subroutine

  subroutine deallocate_int32_3(array)
    integer(int32), pointer, contiguous, intent(inout) :: array(:, :, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_int64_1(array, n1, stat)
    integer(int64), pointer, contiguous, intent(out) :: array(:)
    integer(int64), intent(in) :: n1
    integer, intent(out), optional :: stat
    integer(int64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1])
  end subroutine

  subroutine deallocate_int64_1(array)
    integer(int64), pointer, contiguous, intent(inout) :: array(:)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_int64_2(array, n1, n2, stat)
    integer(int64), pointer, contiguous, intent(out) :: array(:, :)
    integer(int64), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    integer(int64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2])
  end subroutine

  subroutine deallocate_int64_2(array)
    integer(int64), pointer, contiguous, intent(inout) :: array(:, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_int64_3(array, n1, n2, n3, stat)
    integer(int64), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int64), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    integer(int64) :: element
    type(c_ptr) :: data
    data = memory(bytes_of([n1, n2, n3], storage_size(element)), stat)
    nullify(array)
    if (c_associated(data)) call c_f_pointer(data, array, [n1, n2, n3])
  end subroutine

  subroutine deallocate_int64_3(array)
    integer(int64), pointer, contiguous, intent(inout) :: array(:, :, :)
    if (.not. associated(array)) return
    call c_hbw_free(c_loc(array))
    nullify(array)
  end subroutine

  subroutine allocate_short_real32_1(array, n1, stat)
    real(real32), pointer, contiguous, intent(out) :: array(:)
    integer(int32), intent(in) :: n1
    integer, intent(out), optional :: stat
    call allocate_real32_1(array, int(n1, int64), stat)
  end subroutine

  subroutine allocate_short_real32_2(array, n1, n2, stat)
    real(real32), pointer, contiguous, intent(out) :: array(:, :)
    integer(int32), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    call allocate_real32_2(array, int(n1, int64), int(n2, int64), stat)
  end subroutine

  subroutine allocate_short_real32_3(array, n1, n2, n3, stat)
    real(real32), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int32), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    call allocate_real32_3(array, int(n1, int64), int(n2, int64), int(n3, int64), stat)
  end subroutine

  subroutine allocate_short_real64_1(array, n1, stat)
    real(real64), pointer, contiguous, intent(out) :: array(:)
    integer(int32), intent(in) :: n1
    integer, intent(out), optional :: stat
    call allocate_real64_1(array, int(n1, int64), stat)
  end subroutine

  subroutine allocate_short_real64_2(array, n1, n2, stat)
    real(real64), pointer, contiguous, intent(out) :: array(:, :)
    integer(int32), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    call allocate_real64_2(array, int(n1, int64), int(n2, int64), stat)
  end subroutine

  subroutine allocate_short_real64_3(array, n1, n2, n3, stat)
    real(real64), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int32), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    call allocate_real64_3(array, int(n1, int64), int(n2, int64), int(n3, int64), stat)
  end subroutine

  subroutine allocate_short_complex64_1(array, n1, stat)
    complex(real64), pointer, contiguous, intent(out) :: array(:)
    integer(int32), intent(in) :: n1
    integer, intent(out), optional :: stat
    call allocate_complex64_1(array, int(n1, int64), stat)
  end subroutine

  subroutine allocate_short_complex64_2(array, n1, n2, stat)
    complex(real64), pointer, contiguous, intent(out) :: array(:, :)
    integer(int32), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    call allocate_complex64_2(array, int(n1, int64), int(n2, int64), stat)
  end subroutine

  subroutine allocate_short_complex64_3(array, n1, n2, n3, stat)
    complex(real64), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int32), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    call allocate_complex64_3(array, int(n1, int64), int(n2, int64), int(n3, int64), stat)
  end subroutine

  subroutine allocate_short_int32_1(array, n1, stat)
    integer(int32), pointer, contiguous, intent(out) :: array(:)
    integer(int32), intent(in) :: n1
    integer, intent(out), optional :: stat
    call allocate_int32_1(array, int(n1, int64), stat)
  end subroutine

  subroutine allocate_short_int32_2(array, n1, n2, stat)
    integer(int32), pointer, contiguous, intent(out) :: array(:, :)
    integer(int32), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    call allocate_int32_2(array, int(n1, int64), int(n2, int64), stat)
  end subroutine

  subroutine allocate_short_int32_3(array, n1, n2, n3, stat)
    integer(int32), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int32), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    call allocate_int32_3(array, int(n1, int64), int(n2, int64), int(n3, int64), stat)
  end subroutine

  subroutine allocate_short_int64_1(array, n1, stat)
    integer(int64), pointer, contiguous, intent(out) :: array(:)
    integer(int32), intent(in) :: n1
    integer, intent(out), optional :: stat
    call allocate_int64_1(array, int(n1, int64), stat)
  end subroutine

  subroutine allocate_short_int64_2(array, n1, n2, stat)
    integer(int64), pointer, contiguous, intent(out) :: array(:, :)
    integer(int32), intent(in) :: n1, n2
    integer, intent(out), optional :: stat
    call allocate_int64_2(array, int(n1, int64), int(n2, int64), stat)
  end subroutine

  subroutine allocate_short_int64_3(array, n1, n2, n3, stat)
    integer(int64), pointer, contiguous, intent(out) :: array(:, :, :)
    integer(int32), intent(in) :: n1, n2, n3
    integer, intent(out), optional :: stat
    call allocate_int64_3(array, int(n1, int64), int(n2, int64), int(n3, int64), stat)
  end subroutine

end module
