! SPDX-License-Identifier: Apache-2.0
!
! OpenSHMEM for Fortran, in fixed form and as programs of its time are:
! COMMON and SAVE data are symmetric, Cray pointers point to the heap.
      program conformance
      implicit none
      include 'shmem.fh'
      integer my_pe, num_pes, shmem_my_pe, shmem_n_pes
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures

      call start_pes(0)
      me = my_pe()
      npes = num_pes()
      failures = 0
      next = mod(me + 1, npes)
      before = mod(me + npes - 1, npes)
      call expect(shmem_my_pe() .eq. me, 'shmem_my_pe')
      call expect(shmem_n_pes() .eq. npes, 'shmem_n_pes')
      call says_what_it_is
      call puts_and_gets
      call strides
      call atomics
      call waits
      call heap
      call reaches
      call locks
      call broadcasts
      call reductions
      call shmem_barrier_all()
      if (failures .ne. 0) stop 1
      end

      subroutine expect(holds, what)
      implicit none
      logical holds
      character*(*) what
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      if (holds) return
      failures = failures + 1
      write (0, *) 'PE ', me, ' of ', npes, ': ', what
      call flush(0)
      end

      subroutine says_what_it_is
      implicit none
      include 'shmem.fh'
      integer major, minor
      character*40 name
      call shmem_info_get_version(major, minor)
      call expect(major .eq. SHMEM_MAJOR_VERSION, 'version')
      call expect(minor .eq. SHMEM_MINOR_VERSION, 'minor version')
      call shmem_info_get_name(name)
      call expect(name .eq. SHMEM_VENDOR_STRING, 'name')
      end

      subroutine puts_and_gets
      implicit none
      include 'shmem.fh'
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer i4(4), is4(4)
      real r(4), rs(4)
      double precision d(4), ds(4)
      complex c(4), cs(4)
      logical l(4), ls(4)
      character*8 t
      character*8 ts
      integer*8 i8(4), is8(4)
      complex*16 z(2), zs(2)
      common /there/ d, z, i8, c, r, i4, l
      save t
      integer i

      do 10 i = 1, 4
        is4(i) = 10 * me + i
        is8(i) = 20 * me + i
        rs(i) = real(30 * me + i)
        ds(i) = dble(40 * me + i)
        cs(i) = cmplx(me, i)
        ls(i) = mod(i, 2) .eq. 0
   10 continue
      zs(1) = dcmplx(me, 1)
      zs(2) = dcmplx(me, 2)
      ts = 'abcdefgh'
      t = ' '
      call shmem_barrier_all()
      call shmem_integer_put(i4, is4, 4, next)
      call shmem_put8(i8, is8, 4, next)
      call shmem_real_put(r, rs, 4, next)
      call shmem_double_put(d, ds, 4, next)
      call shmem_complex_put(c, cs, 4, next)
      call shmem_logical_put(l, ls, 4, next)
      call shmem_character_put(t, ts, 3, next)
      call shmem_put128(z, zs, 2, next)
      call shmem_barrier_all()
      do 20 i = 1, 4
        call expect(i4(i) .eq. 10 * before + i, 'integer_put')
        call expect(i8(i) .eq. 20 * before + i, 'put8')
        call expect(r(i) .eq. real(30 * before + i), 'real_put')
        call expect(d(i) .eq. dble(40 * before + i), 'double_put')
        call expect(c(i) .eq. cmplx(before, i), 'complex_put')
        call expect(l(i) .eqv. mod(i, 2) .eq. 0, 'logical_put')
   20 continue
      call expect(t .eq. 'abc', 'character_put')
      call expect(z(2) .eq. dcmplx(before, 2), 'put128')

      call shmem_integer_get(is4, i4, 4, next)
      call expect(is4(3) .eq. 10 * me + 3, 'integer_get')
      call shmem_get64(is8, i8, 4, next)
      call expect(is8(3) .eq. 20 * me + 3, 'get64')
      call shmem_double_get(ds, d, 2, next)
      call expect(ds(2) .eq. dble(40 * me + 2), 'double_get')
      call shmem_get4(rs, r, 1, next)
      call expect(rs(1) .eq. real(30 * me + 1), 'get4')
      call shmem_getmem_nbi(ts, t, 1, next)
      call shmem_quiet()
      call expect(ts(1:1) .eq. 'a', 'getmem_nbi')
      call shmem_barrier_all()
      is4(1) = 77
      call shmem_put32_nbi(i4(2), is4, 1, next)
      call shmem_fence()
      call shmem_barrier_all()
      call expect(i4(2) .eq. 77, 'put32_nbi')
      end

      subroutine strides
      implicit none
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer there(12), here(12), i
      double precision dthere(12), dhere(12)
      save there, dthere
      do 10 i = 1, 12
        there(i) = 0
        dthere(i) = 0
        here(i) = i
        dhere(i) = i
   10 continue
      call shmem_barrier_all()
      call shmem_integer_iput(there, here, 2, 3, 4, next)
      call shmem_iput64(dthere, dhere, 3, 1, 3, next)
      call shmem_barrier_all()
      call expect(there(7) .eq. 10, 'integer_iput')
      call expect(there(2) .eq. 0, 'integer_iput between')
      call expect(dthere(7) .eq. 3 .and. dthere(2) .eq. 0, 'iput64')
      call shmem_double_iget(dhere, dthere, 1, 3, 3, next)
      call expect(dhere(2) .eq. 2, 'double_iget')
      call shmem_iget4(here, there, 1, 2, 4, next)
      call expect(here(3) .eq. 7, 'iget4')
      end

      subroutine atomics
      implicit none
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer*4 n4, old4, shmem_int4_swap, shmem_int4_cswap
      integer*4 shmem_int4_finc, shmem_int4_fadd, shmem_int4_fetch
      integer*8 n8, shmem_int8_fadd, shmem_int8_cswap, one, five
      real*4 x, shmem_real4_swap
      real*8 y, shmem_real8_swap, shmem_real8_fetch
      save n4, n8, x, y
      n4 = 0
      n8 = 0
      x = 1.5
      y = 2.5d0
      one = 1
      five = 5
      call shmem_barrier_all()
      call shmem_int4_add(n4, 2, 0)
      call shmem_int4_inc(n4, 0)
      old4 = shmem_int4_finc(n4, 0)
      old4 = shmem_int4_fadd(n4, 3, 0)
      call shmem_int8_add(n8, five, 0)
      n8 = n8 + 0 * shmem_int8_fadd(n8, one, 0)
      call shmem_barrier_all()
      call expect(shmem_int4_fetch(n4, 0) .eq. 7 * npes, 'int4 sums')
      call shmem_barrier_all()
      call shmem_int4_set(n4, 5, next)
      call shmem_barrier_all()
      call expect(shmem_int4_swap(n4, 6, next) .eq. 5, 'int4_swap')
      call expect(shmem_int4_cswap(n4, 6, 7, next) .eq. 6, 'int4_cswap')
      call expect(shmem_int8_cswap(n8, five + 10**6, one, next)
     &            .ne. one, 'int8_cswap')
      call expect(shmem_real4_swap(x, 3.5, next) .eq. 1.5, 'real4_swap')
      call expect(shmem_real8_swap(y, 4.5d0, next) .eq. 2.5d0,
     &            'real8_swap')
      call expect(shmem_real8_fetch(y, next) .eq. 4.5d0, 'real8_fetch')
      end

      subroutine waits
      implicit none
      include 'shmem.fh'
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer flag
      integer*8 flag8, one, three
      save flag, flag8
      flag = 0
      flag8 = 0
      one = 1
      three = 3
      call shmem_barrier_all()
      call shmem_integer_put(flag, 1, 1, next)
      call shmem_wait(flag, 0)
      call expect(flag .eq. 1 .or. flag .eq. 9, 'wait')
      call shmem_int8_add(flag8, one, next)
      call shmem_int8_wait_until(flag8, SHMEM_CMP_GE, one)
      call shmem_int8_add(flag8, three, next)
      call shmem_int8_wait(flag8, one)
      call expect(flag8 .eq. 4, 'int8_wait')
      call shmem_int4_add(flag, 8, next)
      call shmem_int4_wait_until(flag, SHMEM_CMP_EQ, 9)
      call shmem_wait_until(flag, SHMEM_CMP_GT, 3)
      end

      subroutine heap
      implicit none
      include 'shmem.fh'
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer code, i
      integer a(*), b(*)
      integer, save :: kept(4)
      pointer (pa, a), (pb, b)
      call shpalloc(pa, 100, code, 0)
      call expect(code .eq. SHMEM_MALLOC_OK, 'shpalloc')
      do 10 i = 1, 100
        a(i) = me + i
   10 continue
      call shmem_barrier_all()
      call shmem_integer_get(i, a(100), 1, next)
      call expect(i .eq. next + 100, 'get from the heap')
      call shmem_barrier_all()
      call shpclmove(pa, 100000, code, 0)
      call expect(code .eq. 0 .or. code .eq. 1, 'shpclmove')
      call expect(a(100) .eq. me + 100, 'contents after shpclmove')
      a(100000) = 5
      pb = pa + 8
      call shpdeallc(pb, code, 0)
      call expect(code .eq. SHMEM_MALLOC_NOT_AT_START, 'inside')
      call shpclmove(pb, 200, code, 0)
      call expect(code .eq. -5, 'shpclmove inside')
      pb = pa
      call shpdeallc(pa, code, 0)
      call expect(code .eq. 0, 'shpdeallc')
      call shpdeallc(pb, code, 0)
      call expect(code .eq. SHMEM_MALLOC_ALREADY_FREE, 'freed')
      pb = loc(kept)
      call shpdeallc(pb, code, 0)
      call expect(code .eq. SHMEM_MALLOC_NOT_IN_SYMM_HEAP, 'static')
      call shpalloc(pa, 0, code, 0)
      call expect(code .eq. SHMEM_MALLOC_BAD_SIZE, 'shpalloc of 0')
      end

      subroutine reaches
      implicit none
      include 'shmem.fh'
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer there, local
      integer other
      pointer (po, other)
      save there
      there = me
      call shmem_barrier_all()
      call expect(shmem_pe_accessible(next), 'pe_accessible')
      call expect(.not. shmem_pe_accessible(npes), 'no such PE')
      call expect(shmem_addr_accessible(there, next), 'accessible')
      po = shmem_ptr(there, next)
      if (po .ne. 0) then
        call expect(other .eq. next, 'what shmem_ptr gives')
      end if
      local = 0
      call shmem_barrier_all()
      end

      subroutine locks
      implicit none
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer lock, counter, value, i, shmem_test_lock
      common /locked/ lock, counter
      lock = 0
      counter = 0
      call shmem_barrier_all()
      do 10 i = 1, 20
        call shmem_set_lock(lock)
        call shmem_integer_get(value, counter, 1, 0)
        value = value + 1
        call shmem_integer_put(counter, value, 1, 0)
        call shmem_clear_lock(lock)
   10 continue
      call shmem_barrier_all()
      if (me .eq. 0) call expect(counter .eq. 20 * npes, 'lock')
   20 if (shmem_test_lock(lock) .ne. 0) goto 20
      call shmem_clear_lock(lock)
      call shmem_barrier_all()
      end

      subroutine broadcasts
      implicit none
      include 'shmem.fh'
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer psync(SHMEM_COLLECT_SYNC_SIZE), i
      integer there(64), here(64)
      integer*8 there8(64), here8(64)
      common /together/ there8, here8, there, here, psync
      do 10 i = 1, SHMEM_COLLECT_SYNC_SIZE
        psync(i) = SHMEM_SYNC_VALUE
   10 continue
      do 20 i = 1, 64
        here(i) = 100 * me + i
        here8(i) = 200 * me + i
        there(i) = -1
   20 continue
      call shmem_barrier_all()
      call shmem_broadcast4(there, here, 3, 0, 0, 0, npes, psync)
      call expect(there(3) .eq. 3 .or. me .eq. 0, 'broadcast4')
      call expect(there(3) .eq. -1 .or. me .ne. 0, 'root of broadcast4')
      call shmem_barrier(0, 0, npes, psync)
      call shmem_fcollect8(there8, here8, 2, 0, 0, npes, psync)
      call expect(there8(2 * npes) .eq. 200 * (npes - 1) + 2,
     &            'fcollect8')
      call shmem_barrier(0, 0, npes, psync)
      call shmem_collect32(there, here, mod(me, 2) + 1, 0, 0, npes,
     &                     psync)
      call expect(there(1) .eq. 1, 'collect32')
      call shmem_barrier(0, 0, npes, psync)
      call shmem_alltoall64(there8, here8, 1, 0, 0, npes, psync)
      call expect(there8(npes) .eq. 200 * (npes - 1) + me + 1,
     &            'alltoall64')
      call shmem_barrier_all()
      end

      subroutine reductions
      implicit none
      include 'shmem.fh'
      integer me, npes, next, before, failures
      common /pes/ me, npes, next, before, failures
      integer w
      parameter ( w = SHMEM_REDUCE_MIN_WRKDATA_SIZE )
      integer psync(SHMEM_REDUCE_SYNC_SIZE), i
      integer*2 a2, b2, w2(w)
      integer*4 a4, b4, w4(w)
      integer*8 a8, b8, w8(w)
      real*4 x4, y4, v4(w)
      real*8 x8, y8, v8(w)
      real*16 x16, y16, v16(w)
      complex*8 c4, d4, u4(w)
      complex*16 c8, d8, u8(w)
      save
      do 10 i = 1, SHMEM_REDUCE_SYNC_SIZE
        psync(i) = SHMEM_SYNC_VALUE
   10 continue
      b2 = int(me + 1, 2)
      b4 = me + 1
      b8 = me + 1
      y4 = real(me + 1)
      y8 = dble(me + 1)
      y16 = me + 1
      d4 = cmplx(me + 1, 1)
      d8 = dcmplx(me + 1, 1)
      call shmem_barrier_all()
      call shmem_int2_sum_to_all(a2, b2, 1, 0, 0, npes, w2, psync)
      call expect(a2 .eq. npes * (npes + 1) / 2, 'int2_sum')
      call shmem_int4_max_to_all(a4, b4, 1, 0, 0, npes, w4, psync)
      call expect(a4 .eq. npes, 'int4_max')
      call shmem_int8_min_to_all(a8, b8, 1, 0, 0, npes, w8, psync)
      call expect(a8 .eq. 1, 'int8_min')
      call shmem_real4_sum_to_all(x4, y4, 1, 0, 0, npes, v4, psync)
      call expect(x4 .eq. npes * (npes + 1) / 2, 'real4_sum')
      call shmem_real8_prod_to_all(x8, y8, 1, 0, 0, npes, v8, psync)
      call expect(x8 .ge. npes, 'real8_prod')
      call shmem_real16_sum_to_all(x16, y16, 1, 0, 0, npes, v16, psync)
      call expect(x16 .eq. npes * (npes + 1) / 2, 'real16_sum')
      call shmem_real16_max_to_all(x16, y16, 1, 0, 0, npes, v16, psync)
      call expect(x16 .eq. npes, 'real16_max')
      call shmem_comp4_sum_to_all(c4, d4, 1, 0, 0, npes, u4, psync)
      call expect(aimag(c4) .eq. npes, 'comp4_sum')
      call shmem_comp8_sum_to_all(c8, d8, 1, 0, 0, npes, u8, psync)
      call expect(dimag(c8) .eq. npes, 'comp8_sum')
      b4 = 2 ** mod(me, 30)
      call shmem_barrier_all()
      call shmem_int4_or_to_all(a4, b4, 1, 0, 0, npes, w4, psync)
      call expect(a4 .eq. 2 ** npes - 1, 'int4_or')
      call shmem_int4_and_to_all(a4, b4, 1, 0, 0, npes, w4, psync)
      call expect(a4 .eq. 0 .or. npes .eq. 1, 'int4_and')
      call shmem_barrier_all()
      end
