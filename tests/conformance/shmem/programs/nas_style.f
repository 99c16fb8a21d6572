! SPDX-License-Identifier: Apache-2.0
!
! What public ports of the NAS Parallel Benchmarks in Fortran rely on: symmetric arrays of modules, one routine called with
! variables of several types, broadcasts within one variable, one pSync for calls behind one another, a pWrk
! that is too small, and sums into an array of the stack.

      module shared
      integer :: node, nodes, wrong
      double precision :: in_buffer(100)
      double precision, save :: out_buffer(100)
      integer(kind=8) :: disp
      end module shared

      subroutine expect(holds, what)
      use shared
      implicit none
      logical holds
      character(*) what
      if (.not. holds) then
         write(*,*) 'PE', node, ': wrong: ', what
         wrong = wrong + 1
      endif
      end

      subroutine norm(rms)
      use shared
      implicit none
      include 'mpp/shmem.fh'
      double precision rms(5)
      double precision, save :: work(5)
      integer, dimension(SHMEM_BCAST_SYNC_SIZE), save :: psync
      double precision, dimension(SHMEM_REDUCE_MIN_WRKDATA_SIZE),
     > save :: pwrk
      psync = SHMEM_SYNC_VALUE
      call shmem_barrier_all();
      work = node + 1
      call shmem_real8_sum_to_all(rms, work, 5, 0, 0,
     >                            nodes, pwrk, psync)
      end

      subroutine verify
      use shared
      implicit none
      double precision on_the_stack(5)
      integer i
      do i = 1, 3
         call norm(on_the_stack)
         call expect(on_the_stack(1) .eq. nodes * (nodes + 1) / 2,
     >               'a sum into the stack')
         call expect(on_the_stack(5) .eq. on_the_stack(1),
     >               'the last of the sums')
      end do
      end

      program nas_style
      use shared
      implicit none
      include 'mpp/shmem.fh'
      integer num_pes, my_pe, i
      integer, save :: steps
      logical, save :: timed
      double precision, save :: dt, own, most
      integer, dimension(SHMEM_BCAST_SYNC_SIZE), save :: psync1
      integer, dimension(SHMEM_BCAST_SYNC_SIZE), save :: psync2
      double precision, dimension(SHMEM_REDUCE_MIN_WRKDATA_SIZE),
     > save :: pwrk
      call start_pes(0)
      nodes = num_pes()
      node = my_pe()
      wrong = 0
      psync1 = SHMEM_SYNC_VALUE
      psync2 = SHMEM_SYNC_VALUE
      steps = 0
      timed = .false.
      dt = 0
      call shmem_barrier_all()
      if (node .eq. 0) then
         steps = 7
         timed = .true.
         dt = 0.5d0
      endif
      call shmem_broadcast4(steps, steps, 1, 0, 0, 0, nodes, psync1)
      call shmem_broadcast8(dt, dt, 1, 0, 0, 0, nodes, psync2)
      call shmem_broadcast4(timed, timed, 1, 0, 0, 0, nodes, psync1)
      call expect(steps .eq. 7, 'a broadcast of an integer')
      call expect(dt .eq. 0.5d0, 'a broadcast of a double')
      call expect(timed, 'a broadcast of a logical')

      do i = 1, 100
         out_buffer(i) = 1000 * node + i
      end do
      call shmem_barrier_all()
      disp = 51
      call shmem_double_get(in_buffer, out_buffer(disp), 50,
     >                      mod(node + 1, nodes))
      call expect(in_buffer(50) .eq. 1000 * mod(node + 1, nodes) + 100,
     >            'a get from an array of a module')
      call shmem_barrier_all()

      own = node
      call shmem_real8_max_to_all(most, own, 1, 0, 0, nodes,
     >                            pwrk, psync1)
      call expect(most .eq. nodes - 1, 'a maximum')
      call verify
      call shmem_barrier_all()
      if (wrong .ne. 0) stop 1
      end
