! SPDX-License-Identifier: Apache-2.0
!
! The same in Fortran, in memory of the heap.
      program hello
      implicit none
      include 'shmem.fh'
      integer my_pe, num_pes, code
      integer number
      pointer (place, number)
      call start_pes(0)
      call shpalloc(place, 1, code, 1)
      number = 0
      call shmem_barrier_all()
      call shmem_int4_inc(number, 0)
      call shmem_barrier_all()
      if (my_pe() .eq. 0) then
        write (*, '(a, i0, a, i0, a)') 'Fortran: ', number, ' of ',
     &    num_pes(), ' PEs'
      end if
      end
