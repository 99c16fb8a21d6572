! SPDX-License-Identifier: Apache-2.0
!
! What the argument says: a routine with a negative number of elements, the end of the job by one PE when all have
! written to a unit, which a file is connected to, and to the standard one, a wait for what is no word, or a lock that
! is not to be had.

      program in_fortran
      implicit none
      include 'shmem.fh'
      integer, save :: a(10), b(10)
      integer, save :: psync(SHMEM_BCAST_SYNC_SIZE) = SHMEM_SYNC_VALUE
      integer, save :: qsync(SHMEM_REDUCE_SYNC_SIZE) = SHMEM_SYNC_VALUE
      real*16, save :: q(4), sums(4), qw(20)
      integer :: me, np, next
      integer :: w, l
      common /words/ w, l
      integer, external :: my_pe, num_pes
      character(len=20) :: what, name
      call get_command_argument(1, what)
      call start_pes(0)
      me = my_pe()
      np = num_pes()
      next = mod(me + 1, np)
      a = me
      q = 1
      sums = 7
      if (what == 'iput') call shmem_integer_iput(b, a, 1, 1, -1, next)
      if (what == 'put') call shmem_integer_put(b, a, -1, next)
      if (what == 'broadcast') then
         call shmem_broadcast4(b, a, -1, 0, 0, 0, np, psync)
      endif
      if (what == 'fcollect') then
         call shmem_fcollect4(b, a, -1, 0, 0, np, psync)
      endif
      if (what == 'sum') then
         call shmem_real16_sum_to_all(sums, q, -1, 0, 0, np, qw, qsync)
         if (sums(1) /= 7) call shmem_global_exit(9)
      endif
      w = 0
      l = 0
      call shmem_barrier_all()
      if (what == 'wait') call shmem_int4_wait(%val(8), 0)
      if (what == 'wait_of_no_type') call shmem_wait(%val(8), 0)
      if (what == 'compare') call shmem_wait_until(w, 9, 1)
      if (what(:4) == 'lock' .and. me == 0) then
         if (what == 'lock_of_7') l = 7
         call shmem_set_lock(l)
         if (what == 'lock_twice') call shmem_set_lock(l)
      endif
      if (what == 'deadlock') then
         if (me == 0) then
            call shmem_set_lock(l)
            call shmem_barrier_all()
            call shmem_int4_wait(w, 0)
         endif
         call shmem_barrier_all()
         call shmem_set_lock(l)
      endif
      if (what == 'lock_has_left') then
         call shmem_barrier_all()
         if (me == 1) call shmem_set_lock(l)
      endif
      if (what == 'ends') then
         write(name, '(A, I0)') 'unit.', me
         open(unit=17, file=name)
         write(17, '(A, I0)') 'unit of PE ', me
         write(*, '(A, I0)') 'printed by PE ', me
         call shmem_barrier_all()
         if (me == 0) call shmem_global_exit(6)
         call shmem_barrier_all()
      endif
      end
