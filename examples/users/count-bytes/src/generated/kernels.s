	.file	"ivl"
	.text
	.globl	count_bytes_0_1_kernels_count__sse2
	.p2align	4
	.type	count_bytes_0_1_kernels_count__sse2,@function
count_bytes_0_1_kernels_count__sse2:
	pushq	%rax
	callq	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__sse2
	testb	$1, %dl
	jne	.Lcount_bytes_0_1_kernels_BB0_2
	popq	%rcx
	retq
.Lcount_bytes_0_1_kernels_BB0_2:
	callq	ivl_failed@PLT
.Lcount_bytes_0_1_kernels_func_end0:
	.size	count_bytes_0_1_kernels_count__sse2, .Lcount_bytes_0_1_kernels_func_end0-count_bytes_0_1_kernels_count__sse2

	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.Lcount_bytes_0_1_kernels_CPI1_0:
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
.Lcount_bytes_0_1_kernels_CPI1_1:
	.quad	2
	.quad	3
.Lcount_bytes_0_1_kernels_CPI1_2:
	.quad	4
	.quad	5
.Lcount_bytes_0_1_kernels_CPI1_3:
	.quad	6
	.quad	7
.Lcount_bytes_0_1_kernels_CPI1_4:
	.quad	8
	.quad	9
.Lcount_bytes_0_1_kernels_CPI1_5:
	.quad	10
	.quad	11
.Lcount_bytes_0_1_kernels_CPI1_6:
	.quad	12
	.quad	13
.Lcount_bytes_0_1_kernels_CPI1_7:
	.quad	14
	.quad	15
.Lcount_bytes_0_1_kernels_CPI1_8:
	.quad	16
	.quad	17
.Lcount_bytes_0_1_kernels_CPI1_9:
	.quad	18
	.quad	19
.Lcount_bytes_0_1_kernels_CPI1_10:
	.quad	20
	.quad	21
.Lcount_bytes_0_1_kernels_CPI1_11:
	.quad	22
	.quad	23
.Lcount_bytes_0_1_kernels_CPI1_12:
	.quad	24
	.quad	25
.Lcount_bytes_0_1_kernels_CPI1_13:
	.quad	26
	.quad	27
.Lcount_bytes_0_1_kernels_CPI1_14:
	.quad	28
	.quad	29
.Lcount_bytes_0_1_kernels_CPI1_15:
	.quad	30
	.quad	31
.Lcount_bytes_0_1_kernels_CPI1_16:
	.quad	32
	.quad	33
.Lcount_bytes_0_1_kernels_CPI1_17:
	.quad	34
	.quad	35
.Lcount_bytes_0_1_kernels_CPI1_18:
	.quad	36
	.quad	37
.Lcount_bytes_0_1_kernels_CPI1_19:
	.quad	38
	.quad	39
.Lcount_bytes_0_1_kernels_CPI1_20:
	.quad	40
	.quad	41
.Lcount_bytes_0_1_kernels_CPI1_21:
	.quad	42
	.quad	43
.Lcount_bytes_0_1_kernels_CPI1_22:
	.quad	44
	.quad	45
.Lcount_bytes_0_1_kernels_CPI1_23:
	.quad	46
	.quad	47
.Lcount_bytes_0_1_kernels_CPI1_24:
	.quad	48
	.quad	49
.Lcount_bytes_0_1_kernels_CPI1_25:
	.quad	50
	.quad	51
.Lcount_bytes_0_1_kernels_CPI1_26:
	.quad	52
	.quad	53
.Lcount_bytes_0_1_kernels_CPI1_27:
	.quad	54
	.quad	55
.Lcount_bytes_0_1_kernels_CPI1_28:
	.quad	56
	.quad	57
.Lcount_bytes_0_1_kernels_CPI1_29:
	.quad	58
	.quad	59
.Lcount_bytes_0_1_kernels_CPI1_30:
	.quad	60
	.quad	61
.Lcount_bytes_0_1_kernels_CPI1_31:
	.quad	62
	.quad	63
.Lcount_bytes_0_1_kernels_CPI1_32:
	.quad	2147483648
	.quad	2147483648
.Lcount_bytes_0_1_kernels_CPI1_33:
	.long	60
	.long	61
	.long	62
	.long	63
.Lcount_bytes_0_1_kernels_CPI1_34:
	.long	56
	.long	57
	.long	58
	.long	59
.Lcount_bytes_0_1_kernels_CPI1_35:
	.long	52
	.long	53
	.long	54
	.long	55
.Lcount_bytes_0_1_kernels_CPI1_36:
	.long	48
	.long	49
	.long	50
	.long	51
.Lcount_bytes_0_1_kernels_CPI1_37:
	.long	44
	.long	45
	.long	46
	.long	47
.Lcount_bytes_0_1_kernels_CPI1_38:
	.long	40
	.long	41
	.long	42
	.long	43
.Lcount_bytes_0_1_kernels_CPI1_39:
	.long	36
	.long	37
	.long	38
	.long	39
.Lcount_bytes_0_1_kernels_CPI1_40:
	.long	32
	.long	33
	.long	34
	.long	35
.Lcount_bytes_0_1_kernels_CPI1_41:
	.long	28
	.long	29
	.long	30
	.long	31
.Lcount_bytes_0_1_kernels_CPI1_42:
	.long	24
	.long	25
	.long	26
	.long	27
.Lcount_bytes_0_1_kernels_CPI1_43:
	.long	20
	.long	21
	.long	22
	.long	23
.Lcount_bytes_0_1_kernels_CPI1_44:
	.long	16
	.long	17
	.long	18
	.long	19
.Lcount_bytes_0_1_kernels_CPI1_45:
	.long	12
	.long	13
	.long	14
	.long	15
.Lcount_bytes_0_1_kernels_CPI1_46:
	.long	8
	.long	9
	.long	10
	.long	11
.Lcount_bytes_0_1_kernels_CPI1_47:
	.long	4
	.long	5
	.long	6
	.long	7
.Lcount_bytes_0_1_kernels_CPI1_48:
	.long	0
	.long	1
	.long	2
	.long	3
	.text
	.p2align	4
	.type	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__sse2,@function
ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__sse2:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$2408, %rsp
	testq	%rdx, %rdx
	jle	.Lcount_bytes_0_1_kernels_BB1_1
	movq	%rdx, %xmm0
	pshufd	$68, %xmm0, %xmm0
	movdqa	%xmm0, 1296(%rsp)
	movzbl	%sil, %eax
	movd	%eax, %xmm0
	punpcklbw	%xmm0, %xmm0
	pshuflw	$0, %xmm0, %xmm0
	pshufd	$68, %xmm0, %xmm0
	movdqa	%xmm0, 992(%rsp)
	movabsq	$9223372036854759488, %rsi
	xorl	%eax, %eax
	xorl	%r14d, %r14d
	jmp	.Lcount_bytes_0_1_kernels_BB1_3
.Lcount_bytes_0_1_kernels_BB1_18:
	movq	%r11, %rbx
	movdqa	672(%rsp), %xmm9
	movdqa	656(%rsp), %xmm10
.Lcount_bytes_0_1_kernels_BB1_20:
	pshufd	$245, %xmm6, %xmm3
	pxor	%xmm0, %xmm0
	pcmpgtd	%xmm3, %xmm0
	pshufd	$245, 32(%rsp), %xmm2
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm2, %xmm3
	packssdw	%xmm3, %xmm0
	pshufd	$245, %xmm11, %xmm2
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pshufd	$245, %xmm7, %xmm1
	pxor	%xmm2, %xmm2
	pcmpgtd	%xmm1, %xmm2
	packssdw	%xmm2, %xmm3
	packssdw	%xmm3, %xmm0
	pshufd	$245, 48(%rsp), %xmm1
	pxor	%xmm2, %xmm2
	pcmpgtd	%xmm1, %xmm2
	pshufd	$245, 64(%rsp), %xmm1
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm1, %xmm3
	packssdw	%xmm3, %xmm2
	pshufd	$245, 80(%rsp), %xmm1
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm1, %xmm3
	pshufd	$245, 96(%rsp), %xmm1
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm1, %xmm4
	packssdw	%xmm4, %xmm3
	packssdw	%xmm3, %xmm2
	packsswb	%xmm2, %xmm0
	pshufd	$245, 112(%rsp), %xmm2
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm2, %xmm1
	pshufd	$245, 128(%rsp), %xmm2
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm2, %xmm3
	packssdw	%xmm3, %xmm1
	pshufd	$245, 144(%rsp), %xmm2
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pshufd	$245, 608(%rsp), %xmm2
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm2, %xmm4
	packssdw	%xmm4, %xmm3
	packssdw	%xmm3, %xmm1
	pshufd	$245, 528(%rsp), %xmm2
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pshufd	$245, 544(%rsp), %xmm2
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm2, %xmm4
	packssdw	%xmm4, %xmm3
	pshufd	$245, 320(%rsp), %xmm2
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm2, %xmm4
	pshufd	$245, 336(%rsp), %xmm2
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm2, %xmm5
	packssdw	%xmm5, %xmm4
	packssdw	%xmm4, %xmm3
	packsswb	%xmm3, %xmm1
	pshufd	$245, 576(%rsp), %xmm3
	pxor	%xmm2, %xmm2
	pcmpgtd	%xmm3, %xmm2
	pshufd	$245, 592(%rsp), %xmm3
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm3, %xmm4
	packssdw	%xmm4, %xmm2
	pshufd	$245, 352(%rsp), %xmm3
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm3, %xmm4
	pshufd	$245, 464(%rsp), %xmm3
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm3, %xmm5
	packssdw	%xmm5, %xmm4
	packssdw	%xmm4, %xmm2
	pshufd	$245, 160(%rsp), %xmm3
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm3, %xmm4
	pshufd	$245, 480(%rsp), %xmm3
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm3, %xmm5
	packssdw	%xmm5, %xmm4
	pshufd	$245, 496(%rsp), %xmm3
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm3, %xmm5
	pshufd	$245, 512(%rsp), %xmm3
	pxor	%xmm6, %xmm6
	pcmpgtd	%xmm3, %xmm6
	packssdw	%xmm6, %xmm5
	packssdw	%xmm5, %xmm4
	packsswb	%xmm4, %xmm2
	pshufd	$245, %xmm15, %xmm4
	pxor	%xmm3, %xmm3
	pcmpgtd	%xmm4, %xmm3
	pshufd	$245, %xmm14, %xmm4
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm4, %xmm5
	packssdw	%xmm5, %xmm3
	pshufd	$245, %xmm13, %xmm4
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm4, %xmm5
	pshufd	$245, %xmm12, %xmm4
	pxor	%xmm6, %xmm6
	pcmpgtd	%xmm4, %xmm6
	packssdw	%xmm6, %xmm5
	packssdw	%xmm5, %xmm3
	pshufd	$245, %xmm8, %xmm4
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm4, %xmm5
	pshufd	$245, 624(%rsp), %xmm4
	pxor	%xmm6, %xmm6
	pcmpgtd	%xmm4, %xmm6
	packssdw	%xmm6, %xmm5
	pshufd	$245, 640(%rsp), %xmm4
	pxor	%xmm6, %xmm6
	pcmpgtd	%xmm4, %xmm6
	pshufd	$245, 560(%rsp), %xmm4
	pxor	%xmm7, %xmm7
	pcmpgtd	%xmm4, %xmm7
	packssdw	%xmm7, %xmm6
	packssdw	%xmm6, %xmm5
	packsswb	%xmm5, %xmm3
	movdqu	(%rbx), %xmm4
	movdqa	992(%rsp), %xmm5
	pcmpeqb	%xmm5, %xmm4
	pand	%xmm0, %xmm4
	movdqu	16(%rbx), %xmm0
	pcmpeqb	%xmm5, %xmm0
	pand	%xmm1, %xmm0
	movdqu	32(%rbx), %xmm1
	pcmpeqb	%xmm5, %xmm1
	pand	%xmm2, %xmm1
	movdqu	48(%rbx), %xmm2
	pcmpeqb	%xmm5, %xmm2
	pand	%xmm3, %xmm2
	movdqa	896(%rsp), %xmm5
	psubb	%xmm4, %xmm5
	psubb	%xmm0, %xmm10
	movdqa	912(%rsp), %xmm3
	psubb	%xmm1, %xmm3
	psubb	%xmm2, %xmm9
.Lcount_bytes_0_1_kernels_BB1_21:
	pxor	%xmm0, %xmm0
	psadbw	%xmm0, %xmm5
	psadbw	%xmm0, %xmm3
	paddq	%xmm5, %xmm3
	psadbw	%xmm0, %xmm10
	psadbw	%xmm0, %xmm9
	paddq	%xmm10, %xmm9
	paddq	%xmm3, %xmm9
	pshufd	$238, %xmm9, %xmm0
	paddq	%xmm9, %xmm0
	pextrw	$0, %xmm0, %ecx
	addq	%rcx, %rax
	movq	%r10, %r14
	cmpq	%rdx, %r9
	jge	.Lcount_bytes_0_1_kernels_BB1_22
.Lcount_bytes_0_1_kernels_BB1_3:
	leaq	16320(%r14), %r9
	cmpq	%r9, %rdx
	movq	%r9, %r10
	cmovlq	%rdx, %r10
	movq	%r10, %rbx
	subq	%r14, %rbx
	cmpq	%rsi, %r14
	movl	$0, %ecx
	cmovgeq	%rcx, %rbx
	movq	%rbx, %r11
	movdqa	1296(%rsp), %xmm12
	pxor	.Lcount_bytes_0_1_kernels_CPI1_32(%rip), %xmm12
	andq	$-64, %r11
	je	.Lcount_bytes_0_1_kernels_BB1_4
	testq	%rdi, %rdi
	je	.Lcount_bytes_0_1_kernels_BB1_14
	leaq	(%rdi,%r14), %r12
	pxor	%xmm5, %xmm5
	xorps	%xmm10, %xmm10
	xorps	%xmm3, %xmm3
	xorps	%xmm9, %xmm9
	xorl	%r15d, %r15d
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_11:
	movdqa	%xmm5, 896(%rsp)
	movaps	%xmm3, 912(%rsp)
	movaps	%xmm10, 656(%rsp)
	movaps	%xmm9, 672(%rsp)
	leaq	(%r14,%r15), %r13
	movq	%r13, %xmm0
	pshufd	$68, %xmm0, %xmm0
	movdqa	%xmm0, 400(%rsp)
	movdqa	%xmm0, 432(%rsp)
	movdqa	%xmm0, 416(%rsp)
	movdqa	%xmm0, 448(%rsp)
	movdqa	%xmm0, 144(%rsp)
	movdqa	%xmm0, 128(%rsp)
	movdqa	%xmm0, 112(%rsp)
	movdqa	%xmm0, 96(%rsp)
	movdqa	%xmm0, 80(%rsp)
	movdqa	%xmm0, 64(%rsp)
	movdqa	%xmm0, 48(%rsp)
	movdqa	%xmm0, 32(%rsp)
	movdqa	%xmm0, 304(%rsp)
	movdqa	%xmm0, 288(%rsp)
	movdqa	%xmm0, 272(%rsp)
	movdqa	%xmm0, 256(%rsp)
	movdqa	%xmm0, 240(%rsp)
	movdqa	%xmm0, 224(%rsp)
	movdqa	%xmm0, 208(%rsp)
	movdqa	%xmm0, 192(%rsp)
	movdqa	%xmm0, 176(%rsp)
	movdqa	%xmm0, %xmm13
	movdqa	%xmm0, %xmm7
	movdqa	%xmm0, %xmm11
	movdqa	%xmm0, %xmm6
	movdqa	%xmm0, %xmm4
	movdqa	%xmm0, %xmm2
	movdqa	%xmm0, %xmm10
	movdqa	%xmm0, %xmm3
	movdqa	%xmm0, %xmm9
	movdqa	%xmm0, %xmm15
	paddq	.Lcount_bytes_0_1_kernels_CPI1_31(%rip), %xmm0
	pshufd	$245, %xmm0, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	paddq	.Lcount_bytes_0_1_kernels_CPI1_30(%rip), %xmm15
	pshufd	$245, %xmm15, %xmm1
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm1, %xmm8
	packssdw	%xmm5, %xmm8
	paddq	.Lcount_bytes_0_1_kernels_CPI1_29(%rip), %xmm9
	pshufd	$245, %xmm9, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	paddq	.Lcount_bytes_0_1_kernels_CPI1_28(%rip), %xmm3
	pshufd	$245, %xmm3, %xmm1
	pxor	%xmm14, %xmm14
	pcmpgtd	%xmm1, %xmm14
	packssdw	%xmm5, %xmm14
	packssdw	%xmm8, %xmm14
	paddq	.Lcount_bytes_0_1_kernels_CPI1_27(%rip), %xmm10
	movdqa	%xmm10, 464(%rsp)
	pshufd	$245, %xmm10, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	paddq	.Lcount_bytes_0_1_kernels_CPI1_26(%rip), %xmm2
	movdqa	%xmm2, 160(%rsp)
	pshufd	$245, %xmm2, %xmm1
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm1, %xmm8
	packssdw	%xmm5, %xmm8
	paddq	.Lcount_bytes_0_1_kernels_CPI1_25(%rip), %xmm4
	movdqa	%xmm4, 480(%rsp)
	pshufd	$245, %xmm4, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	paddq	.Lcount_bytes_0_1_kernels_CPI1_24(%rip), %xmm6
	movdqa	%xmm6, 496(%rsp)
	pshufd	$245, %xmm6, %xmm1
	pxor	%xmm10, %xmm10
	pcmpgtd	%xmm1, %xmm10
	packssdw	%xmm5, %xmm10
	packssdw	%xmm8, %xmm10
	paddq	.Lcount_bytes_0_1_kernels_CPI1_23(%rip), %xmm11
	movdqa	%xmm11, 512(%rsp)
	pshufd	$245, %xmm11, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	paddq	.Lcount_bytes_0_1_kernels_CPI1_22(%rip), %xmm7
	movdqa	%xmm7, 368(%rsp)
	pshufd	$245, %xmm7, %xmm1
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm1, %xmm8
	packssdw	%xmm5, %xmm8
	paddq	.Lcount_bytes_0_1_kernels_CPI1_21(%rip), %xmm13
	movdqa	%xmm13, 384(%rsp)
	pshufd	$245, %xmm13, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	movdqa	176(%rsp), %xmm1
	paddq	.Lcount_bytes_0_1_kernels_CPI1_20(%rip), %xmm1
	movdqa	%xmm1, 176(%rsp)
	pshufd	$245, %xmm1, %xmm1
	pxor	%xmm11, %xmm11
	pcmpgtd	%xmm1, %xmm11
	packssdw	%xmm5, %xmm11
	packssdw	%xmm8, %xmm11
	movdqa	192(%rsp), %xmm6
	paddq	.Lcount_bytes_0_1_kernels_CPI1_19(%rip), %xmm6
	movdqa	%xmm6, 192(%rsp)
	pshufd	$245, %xmm6, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	movdqa	208(%rsp), %xmm13
	paddq	.Lcount_bytes_0_1_kernels_CPI1_18(%rip), %xmm13
	movdqa	%xmm13, 208(%rsp)
	pshufd	$245, %xmm13, %xmm1
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm1, %xmm8
	packssdw	%xmm5, %xmm8
	movdqa	224(%rsp), %xmm1
	paddq	.Lcount_bytes_0_1_kernels_CPI1_17(%rip), %xmm1
	movdqa	%xmm1, 224(%rsp)
	pshufd	$245, %xmm1, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	movdqa	240(%rsp), %xmm1
	paddq	.Lcount_bytes_0_1_kernels_CPI1_16(%rip), %xmm1
	movdqa	%xmm1, 240(%rsp)
	pshufd	$245, %xmm1, %xmm1
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm1, %xmm4
	packssdw	%xmm5, %xmm4
	packssdw	%xmm8, %xmm4
	movdqa	%xmm4, 576(%rsp)
	movdqa	256(%rsp), %xmm1
	paddq	.Lcount_bytes_0_1_kernels_CPI1_15(%rip), %xmm1
	movdqa	%xmm1, 256(%rsp)
	pshufd	$245, %xmm1, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	movdqa	272(%rsp), %xmm1
	paddq	.Lcount_bytes_0_1_kernels_CPI1_14(%rip), %xmm1
	movdqa	%xmm1, 272(%rsp)
	pshufd	$245, %xmm1, %xmm1
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm1, %xmm8
	packssdw	%xmm5, %xmm8
	movdqa	288(%rsp), %xmm1
	paddq	.Lcount_bytes_0_1_kernels_CPI1_13(%rip), %xmm1
	movdqa	%xmm1, 288(%rsp)
	pshufd	$245, %xmm1, %xmm1
	pxor	%xmm5, %xmm5
	pcmpgtd	%xmm1, %xmm5
	movdqa	304(%rsp), %xmm1
	paddq	.Lcount_bytes_0_1_kernels_CPI1_12(%rip), %xmm1
	movdqa	%xmm1, 304(%rsp)
	pshufd	$245, %xmm1, %xmm13
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm13, %xmm1
	packssdw	%xmm5, %xmm1
	packssdw	%xmm8, %xmm1
	movdqa	32(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_11(%rip), %xmm4
	movdqa	%xmm4, 32(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm5, %xmm8
	movdqa	48(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_10(%rip), %xmm4
	movdqa	%xmm4, 48(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm13, %xmm13
	pcmpgtd	%xmm5, %xmm13
	packssdw	%xmm8, %xmm13
	movdqa	64(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_9(%rip), %xmm4
	movdqa	%xmm4, 64(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm5, %xmm8
	movdqa	80(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_8(%rip), %xmm4
	movdqa	%xmm4, 80(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm5, %xmm4
	packssdw	%xmm8, %xmm4
	packssdw	%xmm13, %xmm4
	movdqa	%xmm4, 592(%rsp)
	movdqa	96(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_7(%rip), %xmm4
	movdqa	%xmm4, 96(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm5, %xmm8
	movdqa	112(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_6(%rip), %xmm4
	movdqa	%xmm4, 112(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm7, %xmm7
	pcmpgtd	%xmm5, %xmm7
	packssdw	%xmm8, %xmm7
	movdqa	128(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_5(%rip), %xmm4
	movdqa	%xmm4, 128(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm5, %xmm8
	movdqa	144(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_4(%rip), %xmm4
	movdqa	%xmm4, 144(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm13, %xmm13
	pcmpgtd	%xmm5, %xmm13
	packssdw	%xmm8, %xmm13
	packssdw	%xmm7, %xmm13
	movdqa	448(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_3(%rip), %xmm4
	movdqa	%xmm4, 448(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm7, %xmm7
	pcmpgtd	%xmm5, %xmm7
	movdqa	416(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_2(%rip), %xmm4
	movdqa	%xmm4, 416(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm5, %xmm8
	packssdw	%xmm7, %xmm8
	movdqa	432(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_1(%rip), %xmm4
	movdqa	%xmm4, 432(%rsp)
	pshufd	$245, %xmm4, %xmm5
	pxor	%xmm7, %xmm7
	pcmpgtd	%xmm5, %xmm7
	movdqa	400(%rsp), %xmm4
	paddq	.Lcount_bytes_0_1_kernels_CPI1_0(%rip), %xmm4
	movdqa	%xmm4, 400(%rsp)
	pshufd	$245, %xmm4, %xmm6
	pxor	%xmm4, %xmm4
	pcmpgtd	%xmm6, %xmm4
	packssdw	%xmm7, %xmm4
	packssdw	%xmm8, %xmm4
	movdqa	%xmm4, 352(%rsp)
	movdqa	%xmm3, 336(%rsp)
	movdqa	.Lcount_bytes_0_1_kernels_CPI1_32(%rip), %xmm4
	pxor	%xmm4, %xmm3
	movdqa	%xmm12, %xmm7
	pcmpgtd	%xmm3, %xmm7
	pcmpeqd	%xmm12, %xmm3
	pshufd	$245, %xmm3, %xmm6
	pshufd	$160, %xmm7, %xmm8
	pand	%xmm8, %xmm6
	pshufd	$245, %xmm7, %xmm8
	por	%xmm6, %xmm8
	movdqa	%xmm9, 320(%rsp)
	pxor	%xmm4, %xmm9
	movdqa	%xmm12, %xmm7
	pcmpgtd	%xmm9, %xmm7
	pcmpeqd	%xmm12, %xmm9
	pshufd	$245, %xmm9, %xmm6
	pshufd	$160, %xmm7, %xmm2
	pand	%xmm2, %xmm6
	pshufd	$245, %xmm7, %xmm2
	por	%xmm6, %xmm2
	packssdw	%xmm2, %xmm8
	movdqa	%xmm15, 560(%rsp)
	pxor	%xmm4, %xmm15
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm15, %xmm6
	pcmpeqd	%xmm12, %xmm15
	pshufd	$245, %xmm15, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	movdqa	%xmm0, %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm7
	pcmpgtd	%xmm2, %xmm7
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm7, %xmm3
	pand	%xmm3, %xmm2
	pshufd	$245, %xmm7, %xmm3
	por	%xmm2, %xmm3
	packssdw	%xmm3, %xmm6
	pcmpeqd	%xmm2, %xmm2
	pxor	%xmm2, %xmm8
	pxor	%xmm2, %xmm6
	pcmpeqd	%xmm5, %xmm5
	packssdw	%xmm6, %xmm8
	por	%xmm14, %xmm8
	movdqa	496(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm14
	por	%xmm2, %xmm14
	movdqa	480(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	packssdw	%xmm3, %xmm14
	movdqa	160(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	464(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	packssdw	%xmm6, %xmm3
	pxor	%xmm5, %xmm14
	pxor	%xmm5, %xmm3
	packssdw	%xmm3, %xmm14
	por	%xmm10, %xmm14
	packsswb	%xmm8, %xmm14
	movdqa	176(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm8
	por	%xmm2, %xmm8
	movdqa	384(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	packssdw	%xmm3, %xmm8
	movdqa	368(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	512(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	packssdw	%xmm6, %xmm3
	pxor	%xmm5, %xmm8
	pxor	%xmm5, %xmm3
	packssdw	%xmm3, %xmm8
	por	%xmm11, %xmm8
	movdqa	240(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm11
	por	%xmm2, %xmm11
	movdqa	224(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	packssdw	%xmm3, %xmm11
	movdqa	208(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	192(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	packssdw	%xmm6, %xmm3
	pxor	%xmm5, %xmm11
	pxor	%xmm5, %xmm3
	packssdw	%xmm3, %xmm11
	por	576(%rsp), %xmm11
	packsswb	%xmm8, %xmm11
	movdqa	304(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm8
	por	%xmm2, %xmm8
	movdqa	288(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	packssdw	%xmm3, %xmm8
	movdqa	272(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	256(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	packssdw	%xmm6, %xmm3
	pxor	%xmm5, %xmm8
	pxor	%xmm5, %xmm3
	packssdw	%xmm3, %xmm8
	por	%xmm1, %xmm8
	movdqa	80(%rsp), %xmm1
	pxor	%xmm4, %xmm1
	movdqa	%xmm12, %xmm2
	pcmpgtd	%xmm1, %xmm2
	pcmpeqd	%xmm12, %xmm1
	pshufd	$245, %xmm1, %xmm3
	pshufd	$160, %xmm2, %xmm1
	pand	%xmm1, %xmm3
	pshufd	$245, %xmm2, %xmm1
	por	%xmm3, %xmm1
	movdqa	64(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	packssdw	%xmm3, %xmm1
	movdqa	48(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	32(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	packssdw	%xmm6, %xmm3
	pxor	%xmm5, %xmm1
	pxor	%xmm5, %xmm3
	packssdw	%xmm3, %xmm1
	por	592(%rsp), %xmm1
	movdqa	416(%rsp), %xmm15
	packsswb	%xmm8, %xmm1
	movdqa	144(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm8
	por	%xmm2, %xmm8
	movdqa	128(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	packssdw	%xmm3, %xmm8
	movdqa	112(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	96(%rsp), %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	packssdw	%xmm6, %xmm3
	pcmpeqd	%xmm2, %xmm2
	pxor	%xmm2, %xmm8
	pxor	%xmm2, %xmm3
	packssdw	%xmm3, %xmm8
	por	%xmm13, %xmm8
	movdqa	432(%rsp), %xmm13
	movdqa	448(%rsp), %xmm2
	movdqa	%xmm2, %xmm10
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	%xmm15, %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm9
	por	%xmm2, %xmm9
	packssdw	%xmm3, %xmm9
	movdqa	%xmm13, %xmm2
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm3
	pcmpgtd	%xmm2, %xmm3
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm3, %xmm6
	pand	%xmm6, %xmm2
	pshufd	$245, %xmm3, %xmm3
	por	%xmm2, %xmm3
	movdqa	400(%rsp), %xmm2
	movdqa	%xmm2, %xmm5
	pxor	%xmm4, %xmm2
	movdqa	%xmm12, %xmm6
	pcmpgtd	%xmm2, %xmm6
	pcmpeqd	%xmm12, %xmm2
	pshufd	$245, %xmm2, %xmm2
	pshufd	$160, %xmm6, %xmm7
	pand	%xmm7, %xmm2
	pshufd	$245, %xmm6, %xmm6
	por	%xmm2, %xmm6
	packssdw	%xmm3, %xmm6
	pcmpeqd	%xmm2, %xmm2
	pxor	%xmm2, %xmm9
	pxor	%xmm2, %xmm6
	packssdw	%xmm9, %xmm6
	por	352(%rsp), %xmm6
	packsswb	%xmm8, %xmm6
	pmovmskb	%xmm6, %ebp
	pmovmskb	%xmm1, %r8d
	pmovmskb	%xmm11, %ecx
	pmovmskb	%xmm14, %r13d
	shll	$16, %r8d
	orl	%ebp, %r8d
	shll	$16, %r13d
	orl	%ecx, %r13d
	shlq	$32, %r13
	orq	%r8, %r13
	jne	.Lcount_bytes_0_1_kernels_BB1_12
	movdqu	(%r12,%r15), %xmm0
	movdqu	16(%r12,%r15), %xmm1
	movdqu	32(%r12,%r15), %xmm2
	movdqu	48(%r12,%r15), %xmm3
	movdqa	992(%rsp), %xmm4
	pcmpeqb	%xmm4, %xmm3
	movdqa	672(%rsp), %xmm9
	psubb	%xmm3, %xmm9
	pcmpeqb	%xmm4, %xmm2
	movdqa	912(%rsp), %xmm3
	psubb	%xmm2, %xmm3
	pcmpeqb	%xmm4, %xmm0
	movdqa	896(%rsp), %xmm5
	psubb	%xmm0, %xmm5
	pcmpeqb	%xmm4, %xmm1
	movdqa	656(%rsp), %xmm10
	psubb	%xmm1, %xmm10
	addq	$64, %r15
	cmpq	%r11, %r15
	jb	.Lcount_bytes_0_1_kernels_BB1_11
	cmpq	%rbx, %r15
	jae	.Lcount_bytes_0_1_kernels_BB1_21
	jmp	.Lcount_bytes_0_1_kernels_BB1_6
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_4:
	xorl	%r15d, %r15d
	pxor	%xmm5, %xmm5
	pxor	%xmm10, %xmm10
	pxor	%xmm3, %xmm3
	pxor	%xmm9, %xmm9
	cmpq	%rbx, %r15
	jae	.Lcount_bytes_0_1_kernels_BB1_21
.Lcount_bytes_0_1_kernels_BB1_6:
	movdqa	%xmm5, 896(%rsp)
	movdqa	%xmm3, 912(%rsp)
	movdqa	%xmm10, 656(%rsp)
	movdqa	%xmm9, 672(%rsp)
	testq	%rdi, %rdi
	je	.Lcount_bytes_0_1_kernels_BB1_14
	addq	%r14, %r11
	movq	%r11, %xmm0
	pshufd	$68, %xmm0, %xmm4
	movdqa	%xmm4, 144(%rsp)
	movdqa	%xmm4, 128(%rsp)
	movdqa	%xmm4, 96(%rsp)
	movdqa	%xmm4, 80(%rsp)
	movdqa	%xmm4, 112(%rsp)
	movdqa	%xmm4, 48(%rsp)
	movdqa	%xmm4, 64(%rsp)
	movdqa	%xmm4, 304(%rsp)
	movdqa	%xmm4, 32(%rsp)
	movdqa	%xmm4, 272(%rsp)
	movdqa	%xmm4, 288(%rsp)
	movdqa	%xmm4, 240(%rsp)
	movdqa	%xmm4, 256(%rsp)
	movdqa	%xmm4, 208(%rsp)
	movdqa	%xmm4, 224(%rsp)
	movdqa	%xmm4, 176(%rsp)
	movdqa	%xmm4, 192(%rsp)
	movdqa	%xmm4, 432(%rsp)
	movdqa	%xmm4, 448(%rsp)
	movdqa	%xmm4, 400(%rsp)
	movdqa	%xmm4, 416(%rsp)
	movdqa	%xmm4, %xmm14
	movdqa	%xmm4, %xmm10
	movdqa	%xmm4, %xmm7
	movdqa	%xmm4, %xmm0
	movdqa	%xmm4, %xmm15
	movdqa	%xmm4, %xmm11
	movdqa	%xmm4, %xmm8
	movdqa	%xmm4, %xmm6
	movdqa	%xmm4, %xmm5
	movdqa	%xmm4, %xmm9
	paddq	.Lcount_bytes_0_1_kernels_CPI1_30(%rip), %xmm4
	pshufd	$245, %xmm4, %xmm1
	pxor	%xmm13, %xmm13
	pcmpgtd	%xmm1, %xmm13
	paddq	.Lcount_bytes_0_1_kernels_CPI1_31(%rip), %xmm9
	pshufd	$245, %xmm9, %xmm2
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm2, %xmm1
	movdqa	%xmm1, 160(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_28(%rip), %xmm5
	pshufd	$245, %xmm5, %xmm3
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm3, %xmm1
	movdqa	%xmm1, 352(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_29(%rip), %xmm6
	pshufd	$245, %xmm6, %xmm3
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm3, %xmm1
	movdqa	%xmm1, 320(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_26(%rip), %xmm8
	pshufd	$245, %xmm8, %xmm3
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm3, %xmm1
	movdqa	%xmm1, 336(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_27(%rip), %xmm11
	pshufd	$245, %xmm11, %xmm3
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm3, %xmm1
	movdqa	%xmm1, 752(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_24(%rip), %xmm15
	pshufd	$245, %xmm15, %xmm3
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm3, %xmm1
	movdqa	%xmm1, 384(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_25(%rip), %xmm0
	movdqa	%xmm0, 944(%rsp)
	pshufd	$245, %xmm0, %xmm3
	pxor	%xmm0, %xmm0
	pcmpgtd	%xmm3, %xmm0
	movdqa	%xmm0, 544(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_22(%rip), %xmm7
	movdqa	%xmm7, 928(%rsp)
	pshufd	$245, %xmm7, %xmm3
	pxor	%xmm0, %xmm0
	pcmpgtd	%xmm3, %xmm0
	movdqa	%xmm0, 528(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_23(%rip), %xmm10
	movdqa	%xmm10, 976(%rsp)
	pshufd	$245, %xmm10, %xmm3
	pxor	%xmm0, %xmm0
	pcmpgtd	%xmm3, %xmm0
	movdqa	%xmm0, 880(%rsp)
	paddq	.Lcount_bytes_0_1_kernels_CPI1_20(%rip), %xmm14
	movdqa	%xmm14, 960(%rsp)
	pshufd	$245, %xmm14, %xmm3
	pxor	%xmm0, %xmm0
	pcmpgtd	%xmm3, %xmm0
	movdqa	%xmm0, 848(%rsp)
	movdqa	416(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_21(%rip), %xmm0
	movdqa	%xmm0, 416(%rsp)
	pshufd	$245, %xmm0, %xmm3
	pxor	%xmm0, %xmm0
	pcmpgtd	%xmm3, %xmm0
	movdqa	%xmm0, 816(%rsp)
	movdqa	400(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_18(%rip), %xmm0
	movdqa	%xmm0, 400(%rsp)
	pshufd	$245, %xmm0, %xmm3
	pxor	%xmm0, %xmm0
	pcmpgtd	%xmm3, %xmm0
	movdqa	%xmm0, 784(%rsp)
	movdqa	448(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_19(%rip), %xmm0
	movdqa	%xmm0, 448(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm14, %xmm14
	pcmpgtd	%xmm0, %xmm14
	movdqa	432(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_16(%rip), %xmm0
	movdqa	%xmm0, 432(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 368(%rsp)
	movdqa	192(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_17(%rip), %xmm0
	movdqa	%xmm0, 192(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 704(%rsp)
	movdqa	176(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_14(%rip), %xmm0
	movdqa	%xmm0, 176(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 688(%rsp)
	movdqa	224(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_15(%rip), %xmm0
	movdqa	%xmm0, 224(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 720(%rsp)
	movdqa	208(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_12(%rip), %xmm0
	movdqa	%xmm0, 208(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 736(%rsp)
	movdqa	256(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_13(%rip), %xmm0
	movdqa	%xmm0, 256(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 768(%rsp)
	movdqa	240(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_10(%rip), %xmm0
	movdqa	%xmm0, 240(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 800(%rsp)
	movdqa	288(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_11(%rip), %xmm0
	movdqa	%xmm0, 288(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 832(%rsp)
	movdqa	272(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_8(%rip), %xmm0
	movdqa	%xmm0, 272(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 864(%rsp)
	movdqa	32(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_9(%rip), %xmm0
	movdqa	%xmm0, 32(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 608(%rsp)
	movdqa	304(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_6(%rip), %xmm0
	movdqa	%xmm0, 304(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 624(%rsp)
	movdqa	64(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_7(%rip), %xmm0
	movdqa	%xmm0, 64(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 640(%rsp)
	movdqa	48(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_4(%rip), %xmm0
	movdqa	%xmm0, 48(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 560(%rsp)
	movdqa	112(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_5(%rip), %xmm0
	movdqa	%xmm0, 112(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 576(%rsp)
	movdqa	80(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_1(%rip), %xmm0
	movdqa	%xmm0, 80(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 592(%rsp)
	movdqa	96(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_0(%rip), %xmm0
	movdqa	%xmm0, 96(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 464(%rsp)
	movdqa	128(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_3(%rip), %xmm0
	movdqa	%xmm0, 128(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 480(%rsp)
	movdqa	144(%rsp), %xmm0
	paddq	.Lcount_bytes_0_1_kernels_CPI1_2(%rip), %xmm0
	movdqa	%xmm0, 144(%rsp)
	pshufd	$245, %xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pcmpgtd	%xmm0, %xmm1
	movdqa	%xmm1, 512(%rsp)
	movdqa	%xmm4, 1040(%rsp)
	movdqa	%xmm4, %xmm0
	movdqa	.Lcount_bytes_0_1_kernels_CPI1_32(%rip), %xmm10
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm3
	pand	%xmm3, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pcmpeqd	%xmm0, %xmm0
	pxor	%xmm0, %xmm1
	pcmpeqd	%xmm2, %xmm2
	por	%xmm13, %xmm1
	movdqa	%xmm1, 496(%rsp)
	movdqa	%xmm9, 1072(%rsp)
	pxor	%xmm10, %xmm9
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm9, %xmm1
	pcmpeqd	%xmm12, %xmm9
	pshufd	$245, %xmm9, %xmm0
	pshufd	$160, %xmm1, %xmm3
	pand	%xmm3, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm2, %xmm1
	por	160(%rsp), %xmm1
	movdqa	%xmm1, 160(%rsp)
	movdqa	%xmm5, 1056(%rsp)
	pxor	%xmm10, %xmm5
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm5, %xmm1
	pcmpeqd	%xmm12, %xmm5
	pshufd	$245, %xmm5, %xmm0
	pshufd	$160, %xmm1, %xmm3
	pand	%xmm3, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pcmpeqd	%xmm3, %xmm3
	pxor	%xmm3, %xmm1
	por	352(%rsp), %xmm1
	movdqa	%xmm1, 352(%rsp)
	movdqa	%xmm6, 1104(%rsp)
	pxor	%xmm10, %xmm6
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm6, %xmm1
	pcmpeqd	%xmm12, %xmm6
	pshufd	$245, %xmm6, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm3, %xmm1
	por	320(%rsp), %xmm1
	movdqa	%xmm1, 320(%rsp)
	movdqa	%xmm8, 1088(%rsp)
	pxor	%xmm10, %xmm8
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm8, %xmm1
	pcmpeqd	%xmm12, %xmm8
	pshufd	$245, %xmm8, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm3, %xmm1
	por	336(%rsp), %xmm1
	movdqa	%xmm1, 336(%rsp)
	movdqa	%xmm11, 1136(%rsp)
	pxor	%xmm10, %xmm11
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm11, %xmm1
	pcmpeqd	%xmm12, %xmm11
	pshufd	$245, %xmm11, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm9
	por	%xmm0, %xmm9
	pxor	%xmm3, %xmm9
	por	752(%rsp), %xmm9
	movdqa	%xmm15, 1120(%rsp)
	pxor	%xmm10, %xmm15
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm15, %xmm1
	pcmpeqd	%xmm12, %xmm15
	pshufd	$245, %xmm15, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm3, %xmm1
	por	384(%rsp), %xmm1
	movdqa	%xmm1, 384(%rsp)
	movdqa	944(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm3, %xmm1
	pcmpeqd	%xmm7, %xmm7
	por	544(%rsp), %xmm1
	movdqa	%xmm1, 544(%rsp)
	movdqa	928(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	528(%rsp), %xmm1
	movdqa	%xmm1, 528(%rsp)
	movdqa	976(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	880(%rsp), %xmm1
	movdqa	%xmm1, 880(%rsp)
	movdqa	960(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	848(%rsp), %xmm1
	movdqa	%xmm1, 848(%rsp)
	movdqa	416(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	816(%rsp), %xmm1
	movdqa	%xmm1, 816(%rsp)
	movdqa	400(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	784(%rsp), %xmm1
	movdqa	%xmm1, 784(%rsp)
	movdqa	448(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	%xmm14, %xmm1
	movdqa	%xmm1, 752(%rsp)
	movdqa	432(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	368(%rsp), %xmm1
	movdqa	%xmm1, 368(%rsp)
	movdqa	192(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	704(%rsp), %xmm1
	movdqa	%xmm1, 704(%rsp)
	movdqa	176(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	688(%rsp), %xmm1
	movdqa	%xmm1, 688(%rsp)
	movdqa	224(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	720(%rsp), %xmm1
	movdqa	%xmm1, 720(%rsp)
	movdqa	208(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm6
	por	%xmm0, %xmm6
	pxor	%xmm7, %xmm6
	por	736(%rsp), %xmm6
	movdqa	256(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	768(%rsp), %xmm1
	movdqa	%xmm1, 768(%rsp)
	movdqa	240(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	800(%rsp), %xmm1
	movdqa	%xmm1, 800(%rsp)
	movdqa	288(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm0
	pshufd	$160, %xmm1, %xmm2
	pand	%xmm2, %xmm0
	pshufd	$245, %xmm1, %xmm1
	por	%xmm0, %xmm1
	pxor	%xmm7, %xmm1
	por	832(%rsp), %xmm1
	movdqa	%xmm1, 832(%rsp)
	movdqa	272(%rsp), %xmm0
	pxor	%xmm10, %xmm0
	movdqa	%xmm12, %xmm1
	pcmpgtd	%xmm0, %xmm1
	pcmpeqd	%xmm12, %xmm0
	pshufd	$245, %xmm0, %xmm2
	pshufd	$160, %xmm1, %xmm0
	pand	%xmm0, %xmm2
	pshufd	$245, %xmm1, %xmm0
	por	%xmm2, %xmm0
	pxor	%xmm7, %xmm0
	por	864(%rsp), %xmm0
	movdqa	%xmm0, 1232(%rsp)
	movdqa	32(%rsp), %xmm1
	pxor	%xmm10, %xmm1
	movdqa	%xmm12, %xmm2
	pcmpgtd	%xmm1, %xmm2
	pcmpeqd	%xmm12, %xmm1
	pshufd	$245, %xmm1, %xmm1
	pshufd	$160, %xmm2, %xmm3
	pand	%xmm3, %xmm1
	pshufd	$245, %xmm2, %xmm2
	por	%xmm1, %xmm2
	pxor	%xmm7, %xmm2
	por	608(%rsp), %xmm2
	movdqa	%xmm2, 864(%rsp)
	movdqa	304(%rsp), %xmm1
	pxor	%xmm10, %xmm1
	movdqa	%xmm12, %xmm2
	pcmpgtd	%xmm1, %xmm2
	pcmpeqd	%xmm12, %xmm1
	pshufd	$245, %xmm1, %xmm1
	pshufd	$160, %xmm2, %xmm3
	pand	%xmm3, %xmm1
	pshufd	$245, %xmm2, %xmm2
	por	%xmm1, %xmm2
	pxor	%xmm7, %xmm2
	por	624(%rsp), %xmm2
	movdqa	%xmm2, 736(%rsp)
	movdqa	64(%rsp), %xmm1
	pxor	%xmm10, %xmm1
	movdqa	%xmm12, %xmm2
	pcmpgtd	%xmm1, %xmm2
	pcmpeqd	%xmm12, %xmm1
	pshufd	$245, %xmm1, %xmm1
	pshufd	$160, %xmm2, %xmm5
	pand	%xmm5, %xmm1
	pshufd	$245, %xmm2, %xmm2
	por	%xmm1, %xmm2
	pxor	%xmm7, %xmm2
	por	640(%rsp), %xmm2
	movdqa	%xmm2, 1280(%rsp)
	movdqa	48(%rsp), %xmm1
	pxor	%xmm10, %xmm1
	movdqa	%xmm12, %xmm2
	pcmpgtd	%xmm1, %xmm2
	pcmpeqd	%xmm12, %xmm1
	pshufd	$245, %xmm1, %xmm1
	pshufd	$160, %xmm2, %xmm11
	pand	%xmm11, %xmm1
	pshufd	$245, %xmm2, %xmm13
	por	%xmm1, %xmm13
	pxor	%xmm7, %xmm13
	por	560(%rsp), %xmm13
	movdqa	112(%rsp), %xmm1
	pxor	%xmm10, %xmm1
	movdqa	%xmm12, %xmm2
	pcmpgtd	%xmm1, %xmm2
	pcmpeqd	%xmm12, %xmm1
	pshufd	$245, %xmm1, %xmm1
	pshufd	$160, %xmm2, %xmm11
	pand	%xmm11, %xmm1
	pshufd	$245, %xmm2, %xmm2
	por	%xmm1, %xmm2
	pxor	%xmm7, %xmm2
	por	576(%rsp), %xmm2
	movdqa	%xmm2, 1264(%rsp)
	movdqa	80(%rsp), %xmm1
	pxor	%xmm10, %xmm1
	movdqa	%xmm12, %xmm11
	pcmpgtd	%xmm1, %xmm11
	pcmpeqd	%xmm12, %xmm1
	pshufd	$245, %xmm1, %xmm14
	pshufd	$160, %xmm11, %xmm1
	pand	%xmm1, %xmm14
	pshufd	$245, %xmm11, %xmm1
	por	%xmm14, %xmm1
	pxor	%xmm7, %xmm1
	por	592(%rsp), %xmm1
	movdqa	%xmm1, 1248(%rsp)
	movdqa	96(%rsp), %xmm11
	pxor	%xmm10, %xmm11
	movdqa	%xmm12, %xmm14
	pcmpgtd	%xmm11, %xmm14
	pcmpeqd	%xmm12, %xmm11
	pshufd	$245, %xmm11, %xmm11
	pshufd	$160, %xmm14, %xmm15
	pand	%xmm15, %xmm11
	pshufd	$245, %xmm14, %xmm15
	por	%xmm11, %xmm15
	pxor	%xmm7, %xmm15
	por	464(%rsp), %xmm15
	movdqa	128(%rsp), %xmm11
	pxor	%xmm10, %xmm11
	movdqa	%xmm12, %xmm14
	pcmpgtd	%xmm11, %xmm14
	pcmpeqd	%xmm12, %xmm11
	pshufd	$245, %xmm11, %xmm11
	pshufd	$160, %xmm14, %xmm8
	pand	%xmm8, %xmm11
	pshufd	$245, %xmm14, %xmm0
	por	%xmm11, %xmm0
	pxor	%xmm7, %xmm0
	por	480(%rsp), %xmm0
	movdqa	144(%rsp), %xmm8
	pxor	%xmm10, %xmm8
	movdqa	%xmm12, %xmm11
	pcmpgtd	%xmm8, %xmm11
	pcmpeqd	%xmm12, %xmm8
	pshufd	$245, %xmm8, %xmm8
	pshufd	$160, %xmm11, %xmm12
	pand	%xmm12, %xmm8
	pshufd	$245, %xmm11, %xmm12
	por	%xmm8, %xmm12
	pxor	%xmm7, %xmm12
	por	512(%rsp), %xmm12
	andl	$63, %ebx
	movd	%ebx, %xmm8
	pshufd	$0, %xmm8, %xmm10
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_33(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm3
	pshufd	$80, %xmm8, %xmm5
	movdqa	496(%rsp), %xmm8
	movdqa	%xmm5, 640(%rsp)
	pand	%xmm5, %xmm8
	movdqa	160(%rsp), %xmm11
	movdqa	%xmm3, 560(%rsp)
	pand	%xmm3, %xmm11
	packssdw	%xmm11, %xmm8
	movdqa	%xmm8, %xmm11
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_34(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm3
	pshufd	$80, %xmm8, %xmm5
	movdqa	352(%rsp), %xmm8
	movdqa	%xmm5, 1216(%rsp)
	pand	%xmm5, %xmm8
	movdqa	320(%rsp), %xmm7
	movdqa	%xmm3, 624(%rsp)
	pand	%xmm3, %xmm7
	packssdw	%xmm7, %xmm8
	packssdw	%xmm11, %xmm8
	movdqa	%xmm8, %xmm11
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_35(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm2
	pshufd	$80, %xmm8, %xmm3
	movdqa	336(%rsp), %xmm8
	movdqa	%xmm3, 1184(%rsp)
	pand	%xmm3, %xmm8
	movdqa	%xmm2, 1200(%rsp)
	pand	%xmm2, %xmm9
	packssdw	%xmm9, %xmm8
	movdqa	%xmm8, %xmm9
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_36(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm2
	pshufd	$80, %xmm8, %xmm3
	movdqa	384(%rsp), %xmm1
	movdqa	%xmm3, 1152(%rsp)
	pand	%xmm3, %xmm1
	movdqa	544(%rsp), %xmm7
	movdqa	%xmm2, 1168(%rsp)
	pand	%xmm2, %xmm7
	packssdw	%xmm7, %xmm1
	packssdw	%xmm9, %xmm1
	packsswb	%xmm11, %xmm1
	movdqa	%xmm1, 384(%rsp)
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_37(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm1
	pshufd	$80, %xmm8, %xmm2
	movdqa	528(%rsp), %xmm7
	movdqa	%xmm2, 496(%rsp)
	pand	%xmm2, %xmm7
	movdqa	880(%rsp), %xmm8
	movdqa	%xmm1, 512(%rsp)
	pand	%xmm1, %xmm8
	packssdw	%xmm8, %xmm7
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_38(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm1
	pshufd	$80, %xmm8, %xmm2
	movdqa	848(%rsp), %xmm8
	movdqa	%xmm2, 160(%rsp)
	pand	%xmm2, %xmm8
	movdqa	816(%rsp), %xmm9
	movdqa	%xmm1, 480(%rsp)
	pand	%xmm1, %xmm9
	packssdw	%xmm9, %xmm8
	packssdw	%xmm7, %xmm8
	movdqa	%xmm8, %xmm7
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_39(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm1
	pshufd	$80, %xmm8, %xmm2
	movdqa	784(%rsp), %xmm8
	movdqa	%xmm2, 352(%rsp)
	pand	%xmm2, %xmm8
	movdqa	752(%rsp), %xmm9
	movdqa	%xmm1, 464(%rsp)
	pand	%xmm1, %xmm9
	packssdw	%xmm9, %xmm8
	movdqa	%xmm8, %xmm11
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_40(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm1
	pshufd	$80, %xmm8, %xmm2
	movdqa	368(%rsp), %xmm3
	movdqa	%xmm2, 576(%rsp)
	pand	%xmm2, %xmm3
	movdqa	704(%rsp), %xmm8
	movdqa	%xmm1, 592(%rsp)
	pand	%xmm1, %xmm8
	packssdw	%xmm8, %xmm3
	packssdw	%xmm11, %xmm3
	packsswb	%xmm7, %xmm3
	movdqa	%xmm3, 368(%rsp)
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_41(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm1
	pshufd	$80, %xmm8, %xmm2
	movdqa	688(%rsp), %xmm7
	movdqa	%xmm2, 320(%rsp)
	pand	%xmm2, %xmm7
	movdqa	720(%rsp), %xmm8
	movdqa	%xmm1, 336(%rsp)
	pand	%xmm1, %xmm8
	packssdw	%xmm8, %xmm7
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_42(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm1
	pshufd	$80, %xmm8, %xmm2
	movdqa	%xmm2, 528(%rsp)
	pand	%xmm2, %xmm6
	movdqa	768(%rsp), %xmm8
	movdqa	%xmm1, 544(%rsp)
	pand	%xmm1, %xmm8
	packssdw	%xmm8, %xmm6
	packssdw	%xmm7, %xmm6
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_43(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm2
	pshufd	$80, %xmm8, %xmm1
	movdqa	800(%rsp), %xmm7
	pand	%xmm1, %xmm7
	movdqa	832(%rsp), %xmm8
	movdqa	%xmm2, 608(%rsp)
	pand	%xmm2, %xmm8
	packssdw	%xmm8, %xmm7
	movdqa	%xmm10, %xmm8
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_44(%rip), %xmm8
	pshufd	$250, %xmm8, %xmm5
	pshufd	$80, %xmm8, %xmm4
	movdqa	1232(%rsp), %xmm9
	pand	%xmm4, %xmm9
	movdqa	864(%rsp), %xmm8
	pand	%xmm5, %xmm8
	packssdw	%xmm8, %xmm9
	packssdw	%xmm7, %xmm9
	packsswb	%xmm6, %xmm9
	movdqa	%xmm10, %xmm6
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_45(%rip), %xmm6
	pshufd	$250, %xmm6, %xmm8
	pshufd	$80, %xmm6, %xmm2
	movdqa	736(%rsp), %xmm6
	pand	%xmm2, %xmm6
	movdqa	1280(%rsp), %xmm7
	pand	%xmm8, %xmm7
	packssdw	%xmm7, %xmm6
	movdqa	%xmm10, %xmm7
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_46(%rip), %xmm7
	pshufd	$250, %xmm7, %xmm14
	pshufd	$80, %xmm7, %xmm3
	pand	%xmm3, %xmm13
	movdqa	1264(%rsp), %xmm7
	pand	%xmm14, %xmm7
	packssdw	%xmm7, %xmm13
	packssdw	%xmm6, %xmm13
	movdqa	%xmm10, %xmm11
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_48(%rip), %xmm10
	pshufd	$250, %xmm10, %xmm7
	pshufd	$80, %xmm10, %xmm6
	movdqa	%xmm7, %xmm10
	movdqa	1248(%rsp), %xmm7
	pand	%xmm10, %xmm7
	pand	%xmm6, %xmm15
	packssdw	%xmm7, %xmm15
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_47(%rip), %xmm11
	pshufd	$250, %xmm11, %xmm7
	pshufd	$80, %xmm11, %xmm11
	pand	%xmm7, %xmm0
	pand	%xmm11, %xmm12
	packssdw	%xmm0, %xmm12
	packssdw	%xmm12, %xmm15
	packsswb	%xmm13, %xmm15
	pmovmskb	%xmm15, %ecx
	pmovmskb	%xmm9, %r8d
	movdqa	368(%rsp), %xmm0
	pmovmskb	%xmm0, %ebp
	movdqa	384(%rsp), %xmm0
	pmovmskb	%xmm0, %ebx
	shll	$16, %r8d
	orl	%ecx, %r8d
	shll	$16, %ebx
	orl	%ebp, %ebx
	shlq	$32, %rbx
	orq	%r8, %rbx
	jne	.Lcount_bytes_0_1_kernels_BB1_8
	movdqa	%xmm6, %xmm0
	movdqa	%xmm10, 32(%rsp)
	packssdw	%xmm10, %xmm0
	movdqa	%xmm11, %xmm9
	packssdw	%xmm7, %xmm9
	packssdw	%xmm9, %xmm0
	movdqa	%xmm3, 48(%rsp)
	movdqa	%xmm14, 64(%rsp)
	packssdw	%xmm14, %xmm3
	movdqa	%xmm2, 80(%rsp)
	movdqa	%xmm8, 96(%rsp)
	packssdw	%xmm8, %xmm2
	packssdw	%xmm2, %xmm3
	packsswb	%xmm3, %xmm0
	pmovmskb	%xmm0, %ebx
	movdqa	%xmm4, 112(%rsp)
	movdqa	%xmm5, 128(%rsp)
	packssdw	%xmm5, %xmm4
	movdqa	%xmm1, 144(%rsp)
	packssdw	608(%rsp), %xmm1
	packssdw	%xmm1, %xmm4
	movdqa	528(%rsp), %xmm9
	packssdw	544(%rsp), %xmm9
	movdqa	320(%rsp), %xmm10
	packssdw	336(%rsp), %xmm10
	packssdw	%xmm10, %xmm9
	packsswb	%xmm9, %xmm4
	pmovmskb	%xmm4, %r14d
	movdqa	576(%rsp), %xmm0
	packssdw	592(%rsp), %xmm0
	movdqa	352(%rsp), %xmm9
	packssdw	464(%rsp), %xmm9
	packssdw	%xmm9, %xmm0
	movdqa	160(%rsp), %xmm9
	packssdw	480(%rsp), %xmm9
	movdqa	496(%rsp), %xmm10
	movdqa	512(%rsp), %xmm1
	packssdw	%xmm1, %xmm10
	packssdw	%xmm10, %xmm9
	packsswb	%xmm9, %xmm0
	pmovmskb	%xmm0, %ecx
	movdqa	1152(%rsp), %xmm15
	movdqa	%xmm15, %xmm0
	movdqa	1168(%rsp), %xmm14
	packssdw	%xmm14, %xmm0
	movdqa	1184(%rsp), %xmm13
	movdqa	%xmm13, %xmm9
	movdqa	1200(%rsp), %xmm12
	packssdw	%xmm12, %xmm9
	packssdw	%xmm9, %xmm0
	movdqa	1216(%rsp), %xmm8
	movdqa	%xmm8, %xmm9
	movdqa	624(%rsp), %xmm5
	packssdw	%xmm5, %xmm9
	movdqa	640(%rsp), %xmm10
	movdqa	560(%rsp), %xmm3
	packssdw	%xmm3, %xmm10
	packssdw	%xmm10, %xmm9
	packsswb	%xmm9, %xmm0
	pmovmskb	%xmm0, %r15d
	shll	$16, %r14d
	orl	%ebx, %r14d
	shll	$16, %r15d
	orl	%ecx, %r15d
	shlq	$32, %r15
	orq	%r14, %r15
	addq	%rdi, %r11
	cmpq	$-1, %r15
	je	.Lcount_bytes_0_1_kernels_BB1_18
	pxor	%xmm0, %xmm0
	movdqa	%xmm0, 1360(%rsp)
	movdqa	%xmm0, 1344(%rsp)
	movdqa	%xmm0, 1328(%rsp)
	movdqa	%xmm0, 1312(%rsp)
	leaq	1312(%rsp), %rbx
	testq	%r15, %r15
	movdqa	672(%rsp), %xmm9
	movdqa	656(%rsp), %xmm10
	je	.Lcount_bytes_0_1_kernels_BB1_20
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_24:
	movq	%r15, %rcx
	rep		bsfq	%r15, %r8
	movzbl	(%r11,%r8), %ebx
	movb	%bl, 1312(%rsp,%r8)
	decq	%r15
	andq	%rcx, %r15
	jne	.Lcount_bytes_0_1_kernels_BB1_24
	leaq	1312(%rsp), %rbx
	jmp	.Lcount_bytes_0_1_kernels_BB1_20
.Lcount_bytes_0_1_kernels_BB1_1:
	xorl	%eax, %eax
.Lcount_bytes_0_1_kernels_BB1_22:
	xorl	%edx, %edx
.Lcount_bytes_0_1_kernels_BB1_23:
	addq	$2408, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lcount_bytes_0_1_kernels_BB1_12:
	movdqa	%xmm5, 1888(%rsp)
	movdqa	%xmm13, 1904(%rsp)
	movdqa	%xmm15, 1920(%rsp)
	movdqa	%xmm10, 1936(%rsp)
	movaps	144(%rsp), %xmm1
	movaps	%xmm1, 1952(%rsp)
	movaps	128(%rsp), %xmm1
	movaps	%xmm1, 1968(%rsp)
	movaps	112(%rsp), %xmm1
	movaps	%xmm1, 1984(%rsp)
	movaps	96(%rsp), %xmm1
	movaps	%xmm1, 2000(%rsp)
	movaps	80(%rsp), %xmm1
	movaps	%xmm1, 2016(%rsp)
	movaps	64(%rsp), %xmm1
	movaps	%xmm1, 2032(%rsp)
	movaps	48(%rsp), %xmm1
	movaps	%xmm1, 2048(%rsp)
	movaps	32(%rsp), %xmm1
	movaps	%xmm1, 2064(%rsp)
	movaps	304(%rsp), %xmm1
	movaps	%xmm1, 2080(%rsp)
	movaps	288(%rsp), %xmm1
	movaps	%xmm1, 2096(%rsp)
	movaps	272(%rsp), %xmm1
	movaps	%xmm1, 2112(%rsp)
	movaps	256(%rsp), %xmm1
	movaps	%xmm1, 2128(%rsp)
	movaps	240(%rsp), %xmm1
	movaps	%xmm1, 2144(%rsp)
	movaps	224(%rsp), %xmm1
	movaps	%xmm1, 2160(%rsp)
	movaps	208(%rsp), %xmm1
	movaps	%xmm1, 2176(%rsp)
	movaps	192(%rsp), %xmm1
	movaps	%xmm1, 2192(%rsp)
	movaps	176(%rsp), %xmm1
	movaps	%xmm1, 2208(%rsp)
	movaps	384(%rsp), %xmm1
	movaps	%xmm1, 2224(%rsp)
	movaps	368(%rsp), %xmm1
	movaps	%xmm1, 2240(%rsp)
	movaps	512(%rsp), %xmm1
	movaps	%xmm1, 2256(%rsp)
	movaps	496(%rsp), %xmm1
	movaps	%xmm1, 2272(%rsp)
	movaps	480(%rsp), %xmm1
	movaps	%xmm1, 2288(%rsp)
	movaps	160(%rsp), %xmm1
	movaps	%xmm1, 2304(%rsp)
	movaps	464(%rsp), %xmm1
	movaps	%xmm1, 2320(%rsp)
	movaps	336(%rsp), %xmm1
	movaps	%xmm1, 2336(%rsp)
	movaps	320(%rsp), %xmm1
	movaps	%xmm1, 2352(%rsp)
	movdqa	560(%rsp), %xmm1
	movdqa	%xmm1, 2368(%rsp)
	movdqa	%xmm0, 2384(%rsp)
	rep		bsfq	%r13, %rax
	movl	%eax, %ecx
	andl	$63, %ecx
	movq	1888(%rsp,%rcx,8), %rcx
	movq	%rcx, 1024(%rsp)
	movq	%rdx, 1032(%rsp)
	leaq	1024(%rsp), %rcx
.Lcount_bytes_0_1_kernels_BB1_13:
	movq	%rcx, 8(%rsp)
	movl	%eax, (%rsp)
	movq	$2, 16(%rsp)
	leaq	.Lcount_bytes_0_1_kernels___unnamed_1(%rip), %rdi
	leaq	.Lcount_bytes_0_1_kernels___unnamed_2(%rip), %rdx
	movl	$60, %esi
.Lcount_bytes_0_1_kernels_BB1_15:
	movl	$15, %ecx
	movl	$10, %r8d
	movl	$35, %r9d
	callq	ivl_check_failed@PLT
	movb	$1, %dl
	xorl	%eax, %eax
	jmp	.Lcount_bytes_0_1_kernels_BB1_23
.Lcount_bytes_0_1_kernels_BB1_14:
	pxor	%xmm0, %xmm0
	movdqu	%xmm0, 8(%rsp)
	movl	$-1, (%rsp)
	leaq	.Lcount_bytes_0_1_kernels___unnamed_3(%rip), %rdi
	leaq	.Lcount_bytes_0_1_kernels___unnamed_2(%rip), %rdx
	movl	$12, %esi
	jmp	.Lcount_bytes_0_1_kernels_BB1_15
.Lcount_bytes_0_1_kernels_BB1_8:
	movaps	96(%rsp), %xmm0
	movaps	%xmm0, 1376(%rsp)
	movaps	80(%rsp), %xmm0
	movaps	%xmm0, 1392(%rsp)
	movaps	144(%rsp), %xmm0
	movaps	%xmm0, 1408(%rsp)
	movaps	128(%rsp), %xmm0
	movaps	%xmm0, 1424(%rsp)
	movaps	48(%rsp), %xmm0
	movaps	%xmm0, 1440(%rsp)
	movaps	112(%rsp), %xmm0
	movaps	%xmm0, 1456(%rsp)
	movaps	304(%rsp), %xmm0
	movaps	%xmm0, 1472(%rsp)
	movaps	64(%rsp), %xmm0
	movaps	%xmm0, 1488(%rsp)
	movaps	272(%rsp), %xmm0
	movaps	%xmm0, 1504(%rsp)
	movaps	32(%rsp), %xmm0
	movaps	%xmm0, 1520(%rsp)
	movaps	240(%rsp), %xmm0
	movaps	%xmm0, 1536(%rsp)
	movaps	288(%rsp), %xmm0
	movaps	%xmm0, 1552(%rsp)
	movaps	208(%rsp), %xmm0
	movaps	%xmm0, 1568(%rsp)
	movaps	256(%rsp), %xmm0
	movaps	%xmm0, 1584(%rsp)
	movaps	176(%rsp), %xmm0
	movaps	%xmm0, 1600(%rsp)
	movaps	224(%rsp), %xmm0
	movaps	%xmm0, 1616(%rsp)
	movaps	432(%rsp), %xmm0
	movaps	%xmm0, 1632(%rsp)
	movaps	192(%rsp), %xmm0
	movaps	%xmm0, 1648(%rsp)
	movaps	400(%rsp), %xmm0
	movaps	%xmm0, 1664(%rsp)
	movaps	448(%rsp), %xmm0
	movaps	%xmm0, 1680(%rsp)
	movaps	960(%rsp), %xmm0
	movaps	%xmm0, 1696(%rsp)
	movaps	416(%rsp), %xmm0
	movaps	%xmm0, 1712(%rsp)
	movaps	928(%rsp), %xmm0
	movaps	%xmm0, 1728(%rsp)
	movaps	976(%rsp), %xmm0
	movaps	%xmm0, 1744(%rsp)
	movaps	1120(%rsp), %xmm0
	movaps	%xmm0, 1760(%rsp)
	movaps	944(%rsp), %xmm0
	movaps	%xmm0, 1776(%rsp)
	movaps	1088(%rsp), %xmm0
	movaps	%xmm0, 1792(%rsp)
	movaps	1136(%rsp), %xmm0
	movaps	%xmm0, 1808(%rsp)
	movaps	1056(%rsp), %xmm0
	movaps	%xmm0, 1824(%rsp)
	movaps	1104(%rsp), %xmm0
	movaps	%xmm0, 1840(%rsp)
	movaps	1040(%rsp), %xmm0
	movaps	%xmm0, 1856(%rsp)
	movdqa	1072(%rsp), %xmm0
	movdqa	%xmm0, 1872(%rsp)
	rep		bsfq	%rbx, %rax
	movl	%eax, %ecx
	andl	$63, %ecx
	movq	1376(%rsp,%rcx,8), %rcx
	movq	%rcx, 1008(%rsp)
	movq	%rdx, 1016(%rsp)
	leaq	1008(%rsp), %rcx
	jmp	.Lcount_bytes_0_1_kernels_BB1_13
.Lcount_bytes_0_1_kernels_func_end1:
	.size	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__sse2, .Lcount_bytes_0_1_kernels_func_end1-ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__sse2

	.globl	count_bytes_0_1_kernels_count__sse2.status
	.p2align	4
	.type	count_bytes_0_1_kernels_count__sse2.status,@function
count_bytes_0_1_kernels_count__sse2.status:
	pushq	%rbx
	movq	%rdi, %rbx
	movq	%rsi, %rdi
	movl	%edx, %esi
	movq	%rcx, %rdx
	callq	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__sse2
	movq	%rax, (%rbx)
	movzbl	%dl, %eax
	andl	$1, %eax
	popq	%rbx
	retq
.Lcount_bytes_0_1_kernels_func_end2:
	.size	count_bytes_0_1_kernels_count__sse2.status, .Lcount_bytes_0_1_kernels_func_end2-count_bytes_0_1_kernels_count__sse2.status

	.globl	count_bytes_0_1_kernels_count__avx2
	.p2align	4
	.type	count_bytes_0_1_kernels_count__avx2,@function
count_bytes_0_1_kernels_count__avx2:
	pushq	%rax
	callq	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx2
	testb	$1, %dl
	jne	.Lcount_bytes_0_1_kernels_BB3_2
	popq	%rcx
	retq
.Lcount_bytes_0_1_kernels_BB3_2:
	callq	ivl_failed@PLT
.Lcount_bytes_0_1_kernels_func_end3:
	.size	count_bytes_0_1_kernels_count__avx2, .Lcount_bytes_0_1_kernels_func_end3-count_bytes_0_1_kernels_count__avx2

	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.Lcount_bytes_0_1_kernels_CPI4_0:
	.quad	0
	.quad	1
	.quad	2
	.quad	3
.Lcount_bytes_0_1_kernels_CPI4_1:
	.quad	4
	.quad	5
	.quad	6
	.quad	7
.Lcount_bytes_0_1_kernels_CPI4_2:
	.quad	8
	.quad	9
	.quad	10
	.quad	11
.Lcount_bytes_0_1_kernels_CPI4_3:
	.quad	12
	.quad	13
	.quad	14
	.quad	15
.Lcount_bytes_0_1_kernels_CPI4_4:
	.quad	16
	.quad	17
	.quad	18
	.quad	19
.Lcount_bytes_0_1_kernels_CPI4_5:
	.quad	20
	.quad	21
	.quad	22
	.quad	23
.Lcount_bytes_0_1_kernels_CPI4_6:
	.quad	24
	.quad	25
	.quad	26
	.quad	27
.Lcount_bytes_0_1_kernels_CPI4_7:
	.quad	28
	.quad	29
	.quad	30
	.quad	31
.Lcount_bytes_0_1_kernels_CPI4_8:
	.quad	32
	.quad	33
	.quad	34
	.quad	35
.Lcount_bytes_0_1_kernels_CPI4_9:
	.quad	36
	.quad	37
	.quad	38
	.quad	39
.Lcount_bytes_0_1_kernels_CPI4_10:
	.quad	40
	.quad	41
	.quad	42
	.quad	43
.Lcount_bytes_0_1_kernels_CPI4_11:
	.quad	44
	.quad	45
	.quad	46
	.quad	47
.Lcount_bytes_0_1_kernels_CPI4_12:
	.quad	48
	.quad	49
	.quad	50
	.quad	51
.Lcount_bytes_0_1_kernels_CPI4_13:
	.quad	52
	.quad	53
	.quad	54
	.quad	55
.Lcount_bytes_0_1_kernels_CPI4_14:
	.quad	56
	.quad	57
	.quad	58
	.quad	59
.Lcount_bytes_0_1_kernels_CPI4_15:
	.quad	60
	.quad	61
	.quad	62
	.quad	63
.Lcount_bytes_0_1_kernels_CPI4_16:
	.long	56
	.long	57
	.long	58
	.long	59
	.long	60
	.long	61
	.long	62
	.long	63
.Lcount_bytes_0_1_kernels_CPI4_17:
	.long	48
	.long	49
	.long	50
	.long	51
	.long	52
	.long	53
	.long	54
	.long	55
.Lcount_bytes_0_1_kernels_CPI4_18:
	.long	40
	.long	41
	.long	42
	.long	43
	.long	44
	.long	45
	.long	46
	.long	47
.Lcount_bytes_0_1_kernels_CPI4_19:
	.long	32
	.long	33
	.long	34
	.long	35
	.long	36
	.long	37
	.long	38
	.long	39
.Lcount_bytes_0_1_kernels_CPI4_20:
	.long	24
	.long	25
	.long	26
	.long	27
	.long	28
	.long	29
	.long	30
	.long	31
.Lcount_bytes_0_1_kernels_CPI4_21:
	.long	16
	.long	17
	.long	18
	.long	19
	.long	20
	.long	21
	.long	22
	.long	23
.Lcount_bytes_0_1_kernels_CPI4_22:
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
.Lcount_bytes_0_1_kernels_CPI4_23:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
.Lcount_bytes_0_1_kernels_CPI4_24:
	.zero	32,1
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.Lcount_bytes_0_1_kernels_CPI4_25:
	.zero	4,1
	.text
	.p2align	4
	.type	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx2,@function
ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx2:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-32, %rsp
	subq	$2176, %rsp
	testq	%rdx, %rdx
	jle	.Lcount_bytes_0_1_kernels_BB4_1
	vmovq	%rdx, %xmm0
	vpbroadcastq	%xmm0, %ymm0
	vmovdqa	%ymm0, 576(%rsp)
	vmovd	%esi, %xmm0
	vpbroadcastb	%xmm0, %ymm0
	vmovdqa	%ymm0, 544(%rsp)
	xorl	%ecx, %ecx
	movabsq	$9223372036854759488, %rsi
	xorl	%eax, %eax
	xorl	%r14d, %r14d
	vpxor	%xmm5, %xmm5, %xmm5
	jmp	.Lcount_bytes_0_1_kernels_BB4_3
.Lcount_bytes_0_1_kernels_BB4_18:
	movq	%r11, %rbx
	vmovdqa	128(%rsp), %ymm6
	vmovdqa	96(%rsp), %ymm7
.Lcount_bytes_0_1_kernels_BB4_20:
	vmovdqa	544(%rsp), %ymm3
	vpcmpeqb	32(%rbx), %ymm3, %ymm2
	vpcmpeqb	(%rbx), %ymm3, %ymm3
	vpbroadcastd	.Lcount_bytes_0_1_kernels_CPI4_25(%rip), %ymm4
	vpand	%ymm4, %ymm2, %ymm2
	vpand	%ymm2, %ymm1, %ymm1
	vpand	%ymm4, %ymm3, %ymm2
	vpand	%ymm2, %ymm0, %ymm0
	vpaddb	%ymm0, %ymm6, %ymm6
	vpaddb	%ymm1, %ymm7, %ymm7
.Lcount_bytes_0_1_kernels_BB4_21:
	vpsadbw	%ymm5, %ymm6, %ymm0
	vpsadbw	%ymm5, %ymm7, %ymm1
	vpaddq	%ymm1, %ymm0, %ymm0
	vextracti128	$1, %ymm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vpshufd	$238, %xmm0, %xmm1
	vpaddq	%xmm1, %xmm0, %xmm0
	vpextrw	$0, %xmm0, %r8d
	addq	%r8, %rax
	movq	%r10, %r14
	cmpq	%rdx, %r9
	jge	.Lcount_bytes_0_1_kernels_BB4_22
.Lcount_bytes_0_1_kernels_BB4_3:
	leaq	16320(%r14), %r9
	cmpq	%r9, %rdx
	movq	%r9, %r10
	cmovlq	%rdx, %r10
	movq	%r10, %rbx
	subq	%r14, %rbx
	cmpq	%rsi, %r14
	cmovgeq	%rcx, %rbx
	movq	%rbx, %r11
	andq	$-64, %r11
	je	.Lcount_bytes_0_1_kernels_BB4_4
	testq	%rdi, %rdi
	je	.Lcount_bytes_0_1_kernels_BB4_14
	leaq	(%rdi,%r14), %r12
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm7, %xmm7, %xmm7
	xorl	%r15d, %r15d
	.p2align	4
.Lcount_bytes_0_1_kernels_BB4_11:
	vmovaps	%ymm7, 96(%rsp)
	vmovaps	%ymm6, 128(%rsp)
	leaq	(%r14,%r15), %r13
	vmovq	%r13, %xmm0
	vpbroadcastq	%xmm0, %ymm0
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_4(%rip), %ymm0, %ymm4
	vmovdqa	%ymm4, 448(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_5(%rip), %ymm0, %ymm3
	vmovdqa	%ymm3, 480(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_6(%rip), %ymm0, %ymm2
	vmovdqa	%ymm2, 512(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_8(%rip), %ymm0, %ymm6
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_9(%rip), %ymm0, %ymm7
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_10(%rip), %ymm0, %ymm9
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_11(%rip), %ymm0, %ymm11
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_12(%rip), %ymm0, %ymm10
	vmovdqa	%ymm10, 352(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_13(%rip), %ymm0, %ymm8
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_14(%rip), %ymm0, %ymm12
	vmovdqa	%ymm12, 64(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_15(%rip), %ymm0, %ymm15
	vpcmpgtq	%ymm15, %ymm5, %ymm1
	vpcmpgtq	%ymm12, %ymm5, %ymm12
	vpackssdw	%ymm1, %ymm12, %ymm1
	vpermq	$216, %ymm1, %ymm1
	vpcmpgtq	%ymm8, %ymm5, %ymm12
	vpcmpgtq	%ymm10, %ymm5, %ymm13
	vpackssdw	%ymm12, %ymm13, %ymm12
	vpermq	$216, %ymm12, %ymm12
	vpackssdw	%ymm1, %ymm12, %ymm1
	vpcmpgtq	%ymm11, %ymm5, %ymm12
	vpcmpgtq	%ymm9, %ymm5, %ymm13
	vpackssdw	%ymm12, %ymm13, %ymm12
	vpcmpgtq	%ymm7, %ymm5, %ymm13
	vpcmpgtq	%ymm6, %ymm5, %ymm14
	vpackssdw	%ymm13, %ymm14, %ymm14
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_7(%rip), %ymm0, %ymm10
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm12, %ymm12
	vpermq	$216, %ymm14, %ymm14
	vpackssdw	%ymm12, %ymm14, %ymm12
	vpermq	$216, %ymm12, %ymm12
	vpacksswb	%ymm1, %ymm12, %ymm1
	vmovdqa	%ymm1, 384(%rsp)
	vpcmpgtq	%ymm10, %ymm5, %ymm1
	vpcmpgtq	%ymm2, %ymm5, %ymm12
	vpackssdw	%ymm1, %ymm12, %ymm1
	vpcmpgtq	%ymm3, %ymm5, %ymm12
	vpcmpgtq	%ymm4, %ymm5, %ymm14
	vpackssdw	%ymm12, %ymm14, %ymm12
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm12, %ymm12
	vpackssdw	%ymm1, %ymm12, %ymm1
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_2(%rip), %ymm0, %ymm14
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_3(%rip), %ymm0, %ymm13
	vpcmpgtq	%ymm13, %ymm5, %ymm12
	vpcmpgtq	%ymm14, %ymm5, %ymm2
	vpackssdw	%ymm12, %ymm2, %ymm2
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_0(%rip), %ymm0, %ymm12
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_1(%rip), %ymm0, %ymm0
	vpcmpgtq	%ymm0, %ymm5, %ymm3
	vpcmpgtq	%ymm12, %ymm5, %ymm4
	vpackssdw	%ymm3, %ymm4, %ymm3
	vpermq	$216, %ymm2, %ymm2
	vpermq	$216, %ymm3, %ymm3
	vpackssdw	%ymm2, %ymm3, %ymm2
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm2, %ymm2
	vpacksswb	%ymm1, %ymm2, %ymm1
	vmovdqa	%ymm1, 416(%rsp)
	vmovdqa	576(%rsp), %ymm5
	vmovdqa	%ymm6, 320(%rsp)
	vpcmpgtq	%ymm6, %ymm5, %ymm1
	vmovdqa	%ymm7, 288(%rsp)
	vpcmpgtq	%ymm7, %ymm5, %ymm2
	vpackssdw	%ymm2, %ymm1, %ymm1
	vmovdqa	%ymm9, 256(%rsp)
	vpcmpgtq	%ymm9, %ymm5, %ymm2
	vmovdqa	%ymm11, 224(%rsp)
	vpcmpgtq	%ymm11, %ymm5, %ymm3
	vmovdqa	352(%rsp), %ymm11
	vpackssdw	%ymm3, %ymm2, %ymm2
	vpermq	$216, %ymm1, %ymm1
	vpcmpeqd	%ymm6, %ymm6, %ymm6
	vpxor	%ymm6, %ymm1, %ymm1
	vpermq	$216, %ymm2, %ymm2
	vpxor	%ymm6, %ymm2, %ymm2
	vpackssdw	%ymm2, %ymm1, %ymm1
	vpcmpgtq	%ymm11, %ymm5, %ymm2
	vmovdqa	%ymm8, 192(%rsp)
	vpcmpgtq	%ymm8, %ymm5, %ymm3
	vpackssdw	%ymm3, %ymm2, %ymm2
	vpcmpgtq	64(%rsp), %ymm5, %ymm3
	vmovdqa	%ymm15, 160(%rsp)
	vpcmpgtq	%ymm15, %ymm5, %ymm4
	vpackssdw	%ymm4, %ymm3, %ymm3
	vpermq	$216, %ymm2, %ymm2
	vpxor	%ymm6, %ymm2, %ymm2
	vpermq	$216, %ymm3, %ymm3
	vpxor	%ymm6, %ymm3, %ymm3
	vpackssdw	%ymm3, %ymm2, %ymm2
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm2, %ymm2
	vpacksswb	%ymm2, %ymm1, %ymm1
	vpor	384(%rsp), %ymm1, %ymm1
	vpcmpgtq	%ymm13, %ymm5, %ymm2
	vpcmpgtq	%ymm14, %ymm5, %ymm3
	vpackssdw	%ymm2, %ymm3, %ymm2
	vpcmpgtq	%ymm0, %ymm5, %ymm3
	vpcmpgtq	%ymm12, %ymm5, %ymm4
	vpackssdw	%ymm3, %ymm4, %ymm3
	vpermq	$216, %ymm2, %ymm2
	vpxor	%ymm6, %ymm2, %ymm2
	vpermq	$216, %ymm3, %ymm3
	vpxor	%ymm6, %ymm3, %ymm3
	vpackssdw	%ymm2, %ymm3, %ymm2
	vmovdqa	448(%rsp), %ymm3
	vmovdqa	%ymm3, %ymm7
	vpcmpgtq	%ymm3, %ymm5, %ymm3
	vmovdqa	480(%rsp), %ymm8
	vpcmpgtq	%ymm8, %ymm5, %ymm4
	vpackssdw	%ymm4, %ymm3, %ymm3
	vmovdqa	512(%rsp), %ymm4
	vmovdqa	%ymm4, %ymm9
	vpcmpgtq	%ymm4, %ymm5, %ymm4
	vpcmpgtq	%ymm10, %ymm5, %ymm5
	vpackssdw	%ymm5, %ymm4, %ymm4
	vpermq	$216, %ymm3, %ymm3
	vpxor	%ymm6, %ymm3, %ymm3
	vpermq	$216, %ymm4, %ymm4
	vpxor	%ymm6, %ymm4, %ymm4
	vpackssdw	%ymm4, %ymm3, %ymm3
	vpermq	$216, %ymm2, %ymm2
	vpermq	$216, %ymm3, %ymm3
	vpacksswb	%ymm3, %ymm2, %ymm2
	vpor	416(%rsp), %ymm2, %ymm2
	vpermq	$216, %ymm2, %ymm2
	vpsllw	$7, %ymm2, %ymm2
	vpmovmskb	%ymm2, %r8d
	vpermq	$216, %ymm1, %ymm1
	vpsllw	$7, %ymm1, %ymm1
	vpmovmskb	%ymm1, %r13d
	shlq	$32, %r13
	orq	%r8, %r13
	jne	.Lcount_bytes_0_1_kernels_BB4_12
	vmovdqa	544(%rsp), %ymm1
	vpcmpeqb	32(%r12,%r15), %ymm1, %ymm0
	vpcmpeqb	(%r12,%r15), %ymm1, %ymm1
	vmovdqa	96(%rsp), %ymm7
	vpsubb	%ymm0, %ymm7, %ymm7
	vmovdqa	128(%rsp), %ymm6
	vpsubb	%ymm1, %ymm6, %ymm6
	addq	$64, %r15
	cmpq	%r11, %r15
	vpxor	%xmm5, %xmm5, %xmm5
	jb	.Lcount_bytes_0_1_kernels_BB4_11
	cmpq	%rbx, %r15
	jae	.Lcount_bytes_0_1_kernels_BB4_21
	jmp	.Lcount_bytes_0_1_kernels_BB4_6
	.p2align	4
.Lcount_bytes_0_1_kernels_BB4_4:
	xorl	%r15d, %r15d
	vpxor	%xmm6, %xmm6, %xmm6
	vpxor	%xmm7, %xmm7, %xmm7
	cmpq	%rbx, %r15
	jae	.Lcount_bytes_0_1_kernels_BB4_21
.Lcount_bytes_0_1_kernels_BB4_6:
	vmovdqa	%ymm7, 96(%rsp)
	vmovdqa	%ymm6, 128(%rsp)
	testq	%rdi, %rdi
	je	.Lcount_bytes_0_1_kernels_BB4_14
	addq	%r14, %r11
	vmovq	%r11, %xmm0
	vpbroadcastq	%xmm0, %ymm4
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_6(%rip), %ymm4, %ymm13
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_5(%rip), %ymm4, %ymm14
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_4(%rip), %ymm4, %ymm12
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_0(%rip), %ymm4, %ymm3
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_1(%rip), %ymm4, %ymm2
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_2(%rip), %ymm4, %ymm0
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_3(%rip), %ymm4, %ymm8
	vpcmpgtq	%ymm8, %ymm5, %ymm9
	vpcmpgtq	%ymm0, %ymm5, %ymm10
	vpcmpgtq	%ymm2, %ymm5, %ymm11
	vpcmpgtq	%ymm3, %ymm5, %ymm15
	vpxor	%xmm1, %xmm1, %xmm1
	vpcmpgtq	%ymm12, %ymm1, %ymm5
	vpcmpgtq	%ymm14, %ymm1, %ymm6
	vpcmpgtq	%ymm13, %ymm1, %ymm7
	vmovdqa	576(%rsp), %ymm1
	vmovdqa	%ymm8, 960(%rsp)
	vpcmpgtq	%ymm8, %ymm1, %ymm8
	vpandn	%ymm8, %ymm9, %ymm9
	vmovdqa	%ymm0, 992(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm0
	vpandn	%ymm0, %ymm10, %ymm10
	vmovdqa	%ymm2, 1024(%rsp)
	vpcmpgtq	%ymm2, %ymm1, %ymm0
	vpandn	%ymm0, %ymm11, %ymm11
	vmovdqa	%ymm3, 1056(%rsp)
	vpcmpgtq	%ymm3, %ymm1, %ymm0
	vpandn	%ymm0, %ymm15, %ymm15
	vmovdqa	%ymm12, 1088(%rsp)
	vpcmpgtq	%ymm12, %ymm1, %ymm0
	vpandn	%ymm0, %ymm5, %ymm0
	vmovdqa	%ymm0, 384(%rsp)
	vmovdqa	%ymm14, 160(%rsp)
	vpcmpgtq	%ymm14, %ymm1, %ymm2
	vpandn	%ymm2, %ymm6, %ymm12
	vmovdqa	%ymm13, 192(%rsp)
	vpcmpgtq	%ymm13, %ymm1, %ymm2
	vpandn	%ymm2, %ymm7, %ymm7
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_7(%rip), %ymm4, %ymm0
	vpxor	%xmm8, %xmm8, %xmm8
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 928(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm3
	vpandn	%ymm3, %ymm2, %ymm3
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_8(%rip), %ymm4, %ymm0
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 896(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm5
	vpandn	%ymm5, %ymm2, %ymm0
	vmovdqa	%ymm0, 416(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_9(%rip), %ymm4, %ymm0
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 864(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm5
	vpandn	%ymm5, %ymm2, %ymm5
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_10(%rip), %ymm4, %ymm0
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 832(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm6
	vpandn	%ymm6, %ymm2, %ymm0
	vmovdqa	%ymm0, 448(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_11(%rip), %ymm4, %ymm0
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 800(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm6
	vpandn	%ymm6, %ymm2, %ymm14
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_12(%rip), %ymm4, %ymm0
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 768(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm6
	vpandn	%ymm6, %ymm2, %ymm0
	vmovdqa	%ymm0, 512(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_13(%rip), %ymm4, %ymm0
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 736(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm6
	vpandn	%ymm6, %ymm2, %ymm6
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_14(%rip), %ymm4, %ymm0
	vpcmpgtq	%ymm0, %ymm8, %ymm2
	vmovdqa	%ymm0, 704(%rsp)
	vpcmpgtq	%ymm0, %ymm1, %ymm13
	vpandn	%ymm13, %ymm2, %ymm0
	vmovdqa	%ymm0, 64(%rsp)
	vpaddq	.Lcount_bytes_0_1_kernels_CPI4_15(%rip), %ymm4, %ymm2
	vpcmpgtq	%ymm2, %ymm8, %ymm0
	vmovdqa	%ymm2, 672(%rsp)
	vpcmpgtq	%ymm2, %ymm1, %ymm2
	vpandn	%ymm2, %ymm0, %ymm0
	vmovdqa	%ymm0, 480(%rsp)
	andl	$63, %ebx
	vmovd	%ebx, %xmm1
	vpbroadcastd	%xmm1, %ymm13
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_22(%rip), %ymm13, %ymm2
	vextracti128	$1, %ymm2, %xmm1
	vpmovsxdq	%xmm1, %ymm0
	vpmovsxdq	%xmm2, %ymm1
	vmovdqa	%ymm1, 320(%rsp)
	vpandn	%ymm1, %ymm10, %ymm10
	vmovdqa	%ymm0, 352(%rsp)
	vpandn	%ymm0, %ymm9, %ymm9
	vpcmpgtq	%ymm9, %ymm8, %ymm9
	vpcmpgtq	%ymm10, %ymm8, %ymm10
	vpackssdw	%ymm9, %ymm10, %ymm0
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_23(%rip), %ymm13, %ymm10
	vextracti128	$1, %ymm10, %xmm9
	vpmovsxdq	%xmm9, %ymm1
	vpmovsxdq	%xmm10, %ymm2
	vmovdqa	%ymm2, 256(%rsp)
	vpandn	%ymm2, %ymm15, %ymm15
	vmovdqa	%ymm1, 288(%rsp)
	vpandn	%ymm1, %ymm11, %ymm11
	vpcmpgtq	%ymm11, %ymm8, %ymm11
	vpcmpgtq	%ymm15, %ymm8, %ymm15
	vpackssdw	%ymm11, %ymm15, %ymm11
	vpermq	$216, %ymm0, %ymm0
	vpermq	$216, %ymm11, %ymm11
	vpackssdw	%ymm0, %ymm11, %ymm1
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_21(%rip), %ymm13, %ymm0
	vextracti128	$1, %ymm0, %xmm11
	vpmovsxdq	%xmm11, %ymm2
	vpmovsxdq	%xmm0, %ymm15
	vmovdqa	%ymm2, 224(%rsp)
	vpandn	%ymm2, %ymm12, %ymm0
	vmovdqa	384(%rsp), %ymm2
	vpandn	%ymm15, %ymm2, %ymm4
	vpcmpgtq	%ymm4, %ymm8, %ymm4
	vpcmpgtq	%ymm0, %ymm8, %ymm0
	vpackssdw	%ymm0, %ymm4, %ymm4
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_20(%rip), %ymm13, %ymm12
	vextracti128	$1, %ymm12, %xmm0
	vpmovsxdq	%xmm0, %ymm0
	vpmovsxdq	%xmm12, %ymm12
	vpandn	%ymm0, %ymm3, %ymm3
	vpandn	%ymm12, %ymm7, %ymm7
	vpcmpgtq	%ymm7, %ymm8, %ymm7
	vpcmpgtq	%ymm3, %ymm8, %ymm3
	vpackssdw	%ymm3, %ymm7, %ymm3
	vpermq	$216, %ymm4, %ymm4
	vpermq	$216, %ymm3, %ymm3
	vpackssdw	%ymm3, %ymm4, %ymm3
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm3, %ymm3
	vpacksswb	%ymm3, %ymm1, %ymm1
	vpermq	$216, %ymm1, %ymm1
	vpsllw	$7, %ymm1, %ymm1
	vpmovmskb	%ymm1, %ebx
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_19(%rip), %ymm13, %ymm1
	vextracti128	$1, %ymm1, %xmm3
	vpmovsxdq	%xmm3, %ymm3
	vpmovsxdq	%xmm1, %ymm4
	vpandn	%ymm3, %ymm5, %ymm1
	vmovdqa	416(%rsp), %ymm2
	vpandn	%ymm4, %ymm2, %ymm5
	vpcmpgtq	%ymm5, %ymm8, %ymm5
	vpcmpgtq	%ymm1, %ymm8, %ymm1
	vpackssdw	%ymm1, %ymm5, %ymm1
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_18(%rip), %ymm13, %ymm7
	vextracti128	$1, %ymm7, %xmm5
	vpmovsxdq	%xmm5, %ymm5
	vpmovsxdq	%xmm7, %ymm11
	vpandn	%ymm5, %ymm14, %ymm7
	vmovdqa	448(%rsp), %ymm2
	vpandn	%ymm11, %ymm2, %ymm14
	vpcmpgtq	%ymm14, %ymm8, %ymm14
	vpcmpgtq	%ymm7, %ymm8, %ymm7
	vpackssdw	%ymm7, %ymm14, %ymm7
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm7, %ymm7
	vpackssdw	%ymm7, %ymm1, %ymm1
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_17(%rip), %ymm13, %ymm14
	vextracti128	$1, %ymm14, %xmm7
	vpmovsxdq	%xmm7, %ymm7
	vpmovsxdq	%xmm14, %ymm14
	vpandn	%ymm7, %ymm6, %ymm6
	vmovdqa	512(%rsp), %ymm2
	vpandn	%ymm14, %ymm2, %ymm2
	vpcmpgtq	%ymm2, %ymm8, %ymm2
	vpcmpgtq	%ymm6, %ymm8, %ymm6
	vpackssdw	%ymm6, %ymm2, %ymm2
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI4_16(%rip), %ymm13, %ymm13
	vextracti128	$1, %ymm13, %xmm6
	vpmovsxdq	%xmm6, %ymm6
	vpmovsxdq	%xmm13, %ymm13
	vmovdqa	480(%rsp), %ymm9
	vpandn	%ymm6, %ymm9, %ymm9
	vmovdqa	64(%rsp), %ymm10
	vpandn	%ymm13, %ymm10, %ymm10
	vpcmpgtq	%ymm10, %ymm8, %ymm10
	vpcmpgtq	%ymm9, %ymm8, %ymm9
	vpackssdw	%ymm9, %ymm10, %ymm9
	vpermq	$216, %ymm2, %ymm2
	vpermq	$216, %ymm9, %ymm9
	vpackssdw	%ymm9, %ymm2, %ymm2
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm2, %ymm2
	vpacksswb	%ymm2, %ymm1, %ymm1
	vpermq	$216, %ymm1, %ymm1
	vpsllw	$7, %ymm1, %ymm1
	vpmovmskb	%ymm1, %r14d
	shlq	$32, %r14
	orq	%rbx, %r14
	jne	.Lcount_bytes_0_1_kernels_BB4_8
	vpxor	%xmm10, %xmm10, %xmm10
	vpcmpgtq	256(%rsp), %ymm10, %ymm1
	vpcmpgtq	288(%rsp), %ymm10, %ymm2
	vpackssdw	%ymm2, %ymm1, %ymm1
	vpcmpgtq	320(%rsp), %ymm10, %ymm2
	vpcmpgtq	352(%rsp), %ymm10, %ymm9
	vpackssdw	%ymm9, %ymm2, %ymm2
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm2, %ymm2
	vpackssdw	%ymm2, %ymm1, %ymm1
	vpcmpgtq	%ymm15, %ymm10, %ymm2
	vpcmpgtq	224(%rsp), %ymm10, %ymm9
	vpackssdw	%ymm9, %ymm2, %ymm2
	vpcmpgtq	%ymm12, %ymm10, %ymm9
	vpcmpgtq	%ymm0, %ymm10, %ymm0
	vpackssdw	%ymm0, %ymm9, %ymm0
	vpermq	$216, %ymm2, %ymm2
	vpermq	$216, %ymm0, %ymm0
	vpackssdw	%ymm0, %ymm2, %ymm0
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm0, %ymm0
	vpacksswb	%ymm0, %ymm1, %ymm0
	vpermq	$216, %ymm0, %ymm0
	vpsllw	$7, %ymm0, %ymm1
	vpmovmskb	%ymm1, %ebx
	vpcmpgtq	%ymm4, %ymm10, %ymm1
	vpcmpgtq	%ymm3, %ymm10, %ymm2
	vpackssdw	%ymm2, %ymm1, %ymm1
	vpcmpgtq	%ymm11, %ymm10, %ymm2
	vpcmpgtq	%ymm5, %ymm10, %ymm3
	vpackssdw	%ymm3, %ymm2, %ymm2
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm2, %ymm2
	vpackssdw	%ymm2, %ymm1, %ymm1
	vpcmpgtq	%ymm14, %ymm10, %ymm2
	vpcmpgtq	%ymm7, %ymm10, %ymm3
	vpackssdw	%ymm3, %ymm2, %ymm2
	vpcmpgtq	%ymm13, %ymm10, %ymm3
	vpcmpgtq	%ymm6, %ymm10, %ymm4
	vpackssdw	%ymm4, %ymm3, %ymm3
	vpermq	$216, %ymm2, %ymm2
	vpermq	$216, %ymm3, %ymm3
	vpackssdw	%ymm3, %ymm2, %ymm2
	vpermq	$216, %ymm1, %ymm1
	vpermq	$216, %ymm2, %ymm2
	vpacksswb	%ymm2, %ymm1, %ymm1
	vpermq	$216, %ymm1, %ymm1
	vpsllw	$7, %ymm1, %ymm2
	vpmovmskb	%ymm2, %r14d
	shlq	$32, %r14
	orq	%rbx, %r14
	addq	%rdi, %r11
	cmpq	$-1, %r14
	vpxor	%xmm5, %xmm5, %xmm5
	je	.Lcount_bytes_0_1_kernels_BB4_18
	vmovdqa	%ymm5, 640(%rsp)
	vmovdqa	%ymm5, 608(%rsp)
	leaq	608(%rsp), %rbx
	testq	%r14, %r14
	vmovdqa	128(%rsp), %ymm6
	vmovdqa	96(%rsp), %ymm7
	je	.Lcount_bytes_0_1_kernels_BB4_20
	.p2align	4
.Lcount_bytes_0_1_kernels_BB4_24:
	xorl	%r8d, %r8d
	tzcntq	%r14, %r8
	movzbl	(%r11,%r8), %ebx
	movb	%bl, 608(%rsp,%r8)
	blsrq	%r14, %r14
	jne	.Lcount_bytes_0_1_kernels_BB4_24
	leaq	608(%rsp), %rbx
	jmp	.Lcount_bytes_0_1_kernels_BB4_20
.Lcount_bytes_0_1_kernels_BB4_1:
	xorl	%eax, %eax
.Lcount_bytes_0_1_kernels_BB4_22:
	xorl	%edx, %edx
.Lcount_bytes_0_1_kernels_BB4_23:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
	retq
.Lcount_bytes_0_1_kernels_BB4_12:
	tzcntq	%r13, %rax
	movl	%eax, %ecx
	vmovdqa	%ymm12, 1632(%rsp)
	vmovdqa	%ymm0, 1664(%rsp)
	vmovdqa	%ymm14, 1696(%rsp)
	vmovdqa	%ymm13, 1728(%rsp)
	vmovdqa	%ymm7, 1760(%rsp)
	vmovdqa	%ymm8, 1792(%rsp)
	vmovdqa	%ymm9, 1824(%rsp)
	vmovdqa	%ymm10, 1856(%rsp)
	vmovaps	320(%rsp), %ymm0
	vmovaps	%ymm0, 1888(%rsp)
	vmovaps	288(%rsp), %ymm0
	vmovaps	%ymm0, 1920(%rsp)
	vmovaps	256(%rsp), %ymm0
	vmovaps	%ymm0, 1952(%rsp)
	vmovaps	224(%rsp), %ymm0
	vmovaps	%ymm0, 1984(%rsp)
	vmovdqa	%ymm11, 2016(%rsp)
	vmovaps	192(%rsp), %ymm0
	vmovaps	%ymm0, 2048(%rsp)
	vmovaps	64(%rsp), %ymm0
	vmovaps	%ymm0, 2080(%rsp)
	vmovaps	160(%rsp), %ymm0
	vmovaps	%ymm0, 2112(%rsp)
	andl	$63, %ecx
	movq	1632(%rsp,%rcx,8), %rcx
	movq	%rcx, 48(%rsp)
	movq	%rdx, 56(%rsp)
	leaq	48(%rsp), %rcx
.Lcount_bytes_0_1_kernels_BB4_13:
	movq	%rcx, 8(%rsp)
	movl	%eax, (%rsp)
	movq	$2, 16(%rsp)
	leaq	.Lcount_bytes_0_1_kernels___unnamed_4(%rip), %rdi
	leaq	.Lcount_bytes_0_1_kernels___unnamed_5(%rip), %rdx
	movl	$60, %esi
.Lcount_bytes_0_1_kernels_BB4_15:
	movl	$15, %ecx
	movl	$10, %r8d
	movl	$35, %r9d
	vzeroupper
	callq	ivl_check_failed@PLT
	movb	$1, %dl
	xorl	%eax, %eax
	jmp	.Lcount_bytes_0_1_kernels_BB4_23
.Lcount_bytes_0_1_kernels_BB4_14:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu	%xmm0, 8(%rsp)
	movl	$-1, (%rsp)
	leaq	.Lcount_bytes_0_1_kernels___unnamed_6(%rip), %rdi
	leaq	.Lcount_bytes_0_1_kernels___unnamed_5(%rip), %rdx
	movl	$12, %esi
	jmp	.Lcount_bytes_0_1_kernels_BB4_15
.Lcount_bytes_0_1_kernels_BB4_8:
	tzcntq	%r14, %rax
	movl	%eax, %ecx
	vmovaps	1056(%rsp), %ymm0
	vmovaps	%ymm0, 1120(%rsp)
	vmovaps	1024(%rsp), %ymm0
	vmovaps	%ymm0, 1152(%rsp)
	vmovaps	992(%rsp), %ymm0
	vmovaps	%ymm0, 1184(%rsp)
	vmovaps	960(%rsp), %ymm0
	vmovaps	%ymm0, 1216(%rsp)
	vmovaps	1088(%rsp), %ymm0
	vmovaps	%ymm0, 1248(%rsp)
	vmovaps	160(%rsp), %ymm0
	vmovaps	%ymm0, 1280(%rsp)
	vmovaps	192(%rsp), %ymm0
	vmovaps	%ymm0, 1312(%rsp)
	vmovaps	928(%rsp), %ymm0
	vmovaps	%ymm0, 1344(%rsp)
	vmovaps	896(%rsp), %ymm0
	vmovaps	%ymm0, 1376(%rsp)
	vmovaps	864(%rsp), %ymm0
	vmovaps	%ymm0, 1408(%rsp)
	vmovaps	832(%rsp), %ymm0
	vmovaps	%ymm0, 1440(%rsp)
	vmovaps	800(%rsp), %ymm0
	vmovaps	%ymm0, 1472(%rsp)
	vmovaps	768(%rsp), %ymm0
	vmovaps	%ymm0, 1504(%rsp)
	vmovaps	736(%rsp), %ymm0
	vmovaps	%ymm0, 1536(%rsp)
	vmovaps	704(%rsp), %ymm0
	vmovaps	%ymm0, 1568(%rsp)
	vmovaps	672(%rsp), %ymm0
	vmovaps	%ymm0, 1600(%rsp)
	andl	$63, %ecx
	movq	1120(%rsp,%rcx,8), %rcx
	movq	%rcx, 32(%rsp)
	movq	%rdx, 40(%rsp)
	leaq	32(%rsp), %rcx
	jmp	.Lcount_bytes_0_1_kernels_BB4_13
.Lcount_bytes_0_1_kernels_func_end4:
	.size	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx2, .Lcount_bytes_0_1_kernels_func_end4-ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx2

	.globl	count_bytes_0_1_kernels_count__avx2.status
	.p2align	4
	.type	count_bytes_0_1_kernels_count__avx2.status,@function
count_bytes_0_1_kernels_count__avx2.status:
	pushq	%rbx
	movq	%rdi, %rbx
	movq	%rsi, %rdi
	movl	%edx, %esi
	movq	%rcx, %rdx
	callq	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx2
	movq	%rax, (%rbx)
	movzbl	%dl, %eax
	andl	$1, %eax
	popq	%rbx
	retq
.Lcount_bytes_0_1_kernels_func_end5:
	.size	count_bytes_0_1_kernels_count__avx2.status, .Lcount_bytes_0_1_kernels_func_end5-count_bytes_0_1_kernels_count__avx2.status

	.globl	count_bytes_0_1_kernels_count__avx512
	.p2align	4
	.type	count_bytes_0_1_kernels_count__avx512,@function
count_bytes_0_1_kernels_count__avx512:
	pushq	%rax
	callq	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx512
	testb	$1, %dl
	jne	.Lcount_bytes_0_1_kernels_BB6_2
	popq	%rcx
	retq
.Lcount_bytes_0_1_kernels_BB6_2:
	callq	ivl_failed@PLT
.Lcount_bytes_0_1_kernels_func_end6:
	.size	count_bytes_0_1_kernels_count__avx512, .Lcount_bytes_0_1_kernels_func_end6-count_bytes_0_1_kernels_count__avx512

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.Lcount_bytes_0_1_kernels_CPI7_0:
	.quad	56
	.quad	57
	.quad	58
	.quad	59
	.quad	60
	.quad	61
	.quad	62
	.quad	63
.Lcount_bytes_0_1_kernels_CPI7_1:
	.quad	48
	.quad	49
	.quad	50
	.quad	51
	.quad	52
	.quad	53
	.quad	54
	.quad	55
.Lcount_bytes_0_1_kernels_CPI7_2:
	.quad	40
	.quad	41
	.quad	42
	.quad	43
	.quad	44
	.quad	45
	.quad	46
	.quad	47
.Lcount_bytes_0_1_kernels_CPI7_3:
	.quad	32
	.quad	33
	.quad	34
	.quad	35
	.quad	36
	.quad	37
	.quad	38
	.quad	39
.Lcount_bytes_0_1_kernels_CPI7_4:
	.quad	24
	.quad	25
	.quad	26
	.quad	27
	.quad	28
	.quad	29
	.quad	30
	.quad	31
.Lcount_bytes_0_1_kernels_CPI7_5:
	.quad	16
	.quad	17
	.quad	18
	.quad	19
	.quad	20
	.quad	21
	.quad	22
	.quad	23
.Lcount_bytes_0_1_kernels_CPI7_6:
	.quad	8
	.quad	9
	.quad	10
	.quad	11
	.quad	12
	.quad	13
	.quad	14
	.quad	15
.Lcount_bytes_0_1_kernels_CPI7_7:
	.quad	0
	.quad	1
	.quad	2
	.quad	3
	.quad	4
	.quad	5
	.quad	6
	.quad	7
.Lcount_bytes_0_1_kernels_CPI7_8:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
.Lcount_bytes_0_1_kernels_CPI7_9:
	.long	16
	.long	17
	.long	18
	.long	19
	.long	20
	.long	21
	.long	22
	.long	23
	.long	24
	.long	25
	.long	26
	.long	27
	.long	28
	.long	29
	.long	30
	.long	31
.Lcount_bytes_0_1_kernels_CPI7_10:
	.long	32
	.long	33
	.long	34
	.long	35
	.long	36
	.long	37
	.long	38
	.long	39
	.long	40
	.long	41
	.long	42
	.long	43
	.long	44
	.long	45
	.long	46
	.long	47
.Lcount_bytes_0_1_kernels_CPI7_11:
	.long	48
	.long	49
	.long	50
	.long	51
	.long	52
	.long	53
	.long	54
	.long	55
	.long	56
	.long	57
	.long	58
	.long	59
	.long	60
	.long	61
	.long	62
	.long	63
	.text
	.p2align	4
	.type	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx512,@function
ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx512:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$1152, %rsp
	testq	%rdx, %rdx
	jle	.Lcount_bytes_0_1_kernels_BB7_1
	vpbroadcastq	%rdx, %zmm0
	vpbroadcastb	%esi, %zmm1
	xorl	%ecx, %ecx
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_8(%rip), %zmm2
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_9(%rip), %zmm3
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_10(%rip), %zmm4
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_11(%rip), %zmm5
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_0(%rip), %zmm6
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_1(%rip), %zmm7
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_2(%rip), %zmm8
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_3(%rip), %zmm9
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_4(%rip), %zmm10
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_5(%rip), %zmm11
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_6(%rip), %zmm12
	movabsq	$9223372036854759488, %rsi
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI7_7(%rip), %zmm13
	vpxor	%xmm14, %xmm14, %xmm14
	xorl	%eax, %eax
	xorl	%r11d, %r11d
	jmp	.Lcount_bytes_0_1_kernels_BB7_3
	.p2align	4
.Lcount_bytes_0_1_kernels_BB7_16:
	vpcmpeqb	(%rdi,%r10), %zmm1, %k0 {%k1}
	vpmovm2b	%k0, %zmm16
	vpsubb	%zmm16, %zmm15, %zmm15
.Lcount_bytes_0_1_kernels_BB7_17:
	vpsadbw	%zmm14, %zmm15, %zmm15
	vextracti64x4	$1, %zmm15, %ymm16
	vpaddq	%ymm16, %ymm15, %ymm15
	vextracti32x4	$1, %ymm15, %xmm16
	vpaddq	%xmm16, %xmm15, %xmm15
	vpshufd	$238, %xmm15, %xmm16
	vpaddq	%xmm16, %xmm15, %xmm15
	vpextrw	$0, %xmm15, %r10d
	addq	%r10, %rax
	movq	%r9, %r11
	cmpq	%rdx, %r8
	jge	.Lcount_bytes_0_1_kernels_BB7_18
.Lcount_bytes_0_1_kernels_BB7_3:
	leaq	16320(%r11), %r8
	cmpq	%r8, %rdx
	movq	%r8, %r9
	cmovlq	%rdx, %r9
	movq	%r9, %rbx
	subq	%r11, %rbx
	cmpq	%rsi, %r11
	cmovgeq	%rcx, %rbx
	movq	%rbx, %r10
	movl	$0, %r14d
	vpxor	%xmm15, %xmm15, %xmm15
	andq	$-64, %r10
	je	.Lcount_bytes_0_1_kernels_BB7_10
	testq	%rdi, %rdi
	je	.Lcount_bytes_0_1_kernels_BB7_12
	leaq	-1(%r10), %r14
	andq	$-64, %r14
	addq	$64, %r14
	leaq	(%rdi,%r11), %r15
	xorl	%r12d, %r12d
	.p2align	4
.Lcount_bytes_0_1_kernels_BB7_6:
	leaq	(%r11,%r12), %r13
	vpbroadcastq	%r13, %zmm23
	vpaddq	%zmm6, %zmm23, %zmm16
	vpaddq	%zmm7, %zmm23, %zmm17
	vpaddq	%zmm8, %zmm23, %zmm18
	vpaddq	%zmm9, %zmm23, %zmm19
	vpaddq	%zmm10, %zmm23, %zmm20
	vpaddq	%zmm11, %zmm23, %zmm21
	vpaddq	%zmm12, %zmm23, %zmm22
	vpaddq	%zmm13, %zmm23, %zmm23
	vpmovq2m	%zmm23, %k0
	vpmovq2m	%zmm22, %k1
	kunpckbw	%k0, %k1, %k0
	vpmovq2m	%zmm21, %k1
	vpmovq2m	%zmm20, %k2
	kunpckbw	%k1, %k2, %k1
	kunpckwd	%k0, %k1, %k0
	vpmovq2m	%zmm19, %k1
	vpmovq2m	%zmm18, %k2
	kunpckbw	%k1, %k2, %k1
	vpmovq2m	%zmm17, %k2
	vpmovq2m	%zmm16, %k3
	kunpckbw	%k2, %k3, %k2
	kunpckwd	%k1, %k2, %k1
	kunpckdq	%k0, %k1, %k0
	vpcmpnltq	%zmm0, %zmm23, %k1
	vpcmpnltq	%zmm0, %zmm22, %k2
	kunpckbw	%k1, %k2, %k1
	vpcmpnltq	%zmm0, %zmm21, %k2
	vpcmpnltq	%zmm0, %zmm20, %k3
	kunpckbw	%k2, %k3, %k2
	kunpckwd	%k1, %k2, %k1
	vpcmpnltq	%zmm0, %zmm19, %k2
	vpcmpnltq	%zmm0, %zmm18, %k3
	kunpckbw	%k2, %k3, %k2
	vpcmpnltq	%zmm0, %zmm17, %k3
	vpcmpnltq	%zmm0, %zmm16, %k4
	kunpckbw	%k3, %k4, %k3
	kunpckwd	%k2, %k3, %k2
	kunpckdq	%k1, %k2, %k1
	kortestq	%k1, %k0
	jne	.Lcount_bytes_0_1_kernels_BB7_7
	vpcmpeqb	(%r15,%r12), %zmm1, %k0
	vpmovm2b	%k0, %zmm16
	vpsubb	%zmm16, %zmm15, %zmm15
	addq	$64, %r12
	cmpq	%r10, %r12
	jb	.Lcount_bytes_0_1_kernels_BB7_6
.Lcount_bytes_0_1_kernels_BB7_10:
	cmpq	%rbx, %r14
	jae	.Lcount_bytes_0_1_kernels_BB7_17
	testq	%rdi, %rdi
	je	.Lcount_bytes_0_1_kernels_BB7_12
	addq	%r11, %r10
	andl	$63, %ebx
	vpbroadcastd	%ebx, %zmm16
	vpcmpgtd	%zmm2, %zmm16, %k0
	vpcmpgtd	%zmm3, %zmm16, %k1
	kunpckwd	%k0, %k1, %k0
	vpcmpgtd	%zmm4, %zmm16, %k1
	vpcmpgtd	%zmm5, %zmm16, %k2
	kunpckwd	%k1, %k2, %k1
	kunpckdq	%k0, %k1, %k1
	vpbroadcastq	%r10, %zmm23
	vpaddq	%zmm6, %zmm23, %zmm16
	vpaddq	%zmm7, %zmm23, %zmm17
	vpaddq	%zmm8, %zmm23, %zmm18
	vpaddq	%zmm9, %zmm23, %zmm19
	vpaddq	%zmm10, %zmm23, %zmm20
	vpaddq	%zmm11, %zmm23, %zmm21
	vpaddq	%zmm12, %zmm23, %zmm22
	vpaddq	%zmm13, %zmm23, %zmm23
	vpmovq2m	%zmm23, %k0
	vpmovq2m	%zmm22, %k2
	kunpckbw	%k0, %k2, %k0
	vpmovq2m	%zmm21, %k2
	vpmovq2m	%zmm20, %k3
	kunpckbw	%k2, %k3, %k2
	kunpckwd	%k0, %k2, %k0
	vpmovq2m	%zmm19, %k2
	vpmovq2m	%zmm18, %k3
	kunpckbw	%k2, %k3, %k2
	vpmovq2m	%zmm17, %k3
	vpmovq2m	%zmm16, %k4
	kunpckbw	%k3, %k4, %k3
	kunpckwd	%k2, %k3, %k2
	kunpckdq	%k0, %k2, %k0
	vpcmpnltq	%zmm0, %zmm23, %k2
	vpcmpnltq	%zmm0, %zmm22, %k3
	kunpckbw	%k2, %k3, %k2
	vpcmpnltq	%zmm0, %zmm21, %k3
	vpcmpnltq	%zmm0, %zmm20, %k4
	kunpckbw	%k3, %k4, %k3
	kunpckwd	%k2, %k3, %k2
	vpcmpnltq	%zmm0, %zmm19, %k3
	vpcmpnltq	%zmm0, %zmm18, %k4
	kunpckbw	%k3, %k4, %k3
	vpcmpnltq	%zmm0, %zmm17, %k4
	vpcmpnltq	%zmm0, %zmm16, %k5
	kunpckbw	%k4, %k5, %k4
	kunpckwd	%k3, %k4, %k3
	kunpckdq	%k2, %k3, %k2
	korq	%k2, %k0, %k0
	ktestq	%k0, %k1
	je	.Lcount_bytes_0_1_kernels_BB7_16
	kandq	%k0, %k1, %k0
	kmovq	%k0, %rax
	tzcntq	%rax, %rax
	movl	%eax, %ecx
	vmovdqa64	%zmm23, 64(%rsp)
	vmovdqa64	%zmm22, 128(%rsp)
	vmovdqa64	%zmm21, 192(%rsp)
	vmovdqa64	%zmm20, 256(%rsp)
	vmovdqa64	%zmm19, 320(%rsp)
	vmovdqa64	%zmm18, 384(%rsp)
	vmovdqa64	%zmm17, 448(%rsp)
	andl	$63, %ecx
	vmovdqa64	%zmm16, 512(%rsp)
	movq	64(%rsp,%rcx,8), %rcx
	movq	%rcx, 32(%rsp)
	movq	%rdx, 40(%rsp)
	leaq	32(%rsp), %rcx
	jmp	.Lcount_bytes_0_1_kernels_BB7_8
.Lcount_bytes_0_1_kernels_BB7_1:
	xorl	%eax, %eax
.Lcount_bytes_0_1_kernels_BB7_18:
	xorl	%edx, %edx
.Lcount_bytes_0_1_kernels_BB7_19:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
	retq
.Lcount_bytes_0_1_kernels_BB7_7:
	korq	%k1, %k0, %k0
	kmovq	%k0, %rax
	tzcntq	%rax, %rax
	movl	%eax, %ecx
	vmovdqa64	%zmm23, 576(%rsp)
	vmovdqa64	%zmm22, 640(%rsp)
	vmovdqa64	%zmm21, 704(%rsp)
	vmovdqa64	%zmm20, 768(%rsp)
	vmovdqa64	%zmm19, 832(%rsp)
	vmovdqa64	%zmm18, 896(%rsp)
	vmovdqa64	%zmm17, 960(%rsp)
	andl	$63, %ecx
	vmovdqa64	%zmm16, 1024(%rsp)
	movq	576(%rsp,%rcx,8), %rcx
	movq	%rcx, 48(%rsp)
	movq	%rdx, 56(%rsp)
	leaq	48(%rsp), %rcx
.Lcount_bytes_0_1_kernels_BB7_8:
	movq	%rcx, 8(%rsp)
	movl	%eax, (%rsp)
	movq	$2, 16(%rsp)
	leaq	.Lcount_bytes_0_1_kernels___unnamed_7(%rip), %rdi
	leaq	.Lcount_bytes_0_1_kernels___unnamed_8(%rip), %rdx
	movl	$60, %esi
.Lcount_bytes_0_1_kernels_BB7_13:
	movl	$15, %ecx
	movl	$10, %r8d
	movl	$35, %r9d
	vzeroupper
	callq	ivl_check_failed@PLT
	movb	$1, %dl
	xorl	%eax, %eax
	jmp	.Lcount_bytes_0_1_kernels_BB7_19
.Lcount_bytes_0_1_kernels_BB7_12:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu	%xmm0, 8(%rsp)
	movl	$-1, (%rsp)
	leaq	.Lcount_bytes_0_1_kernels___unnamed_9(%rip), %rdi
	leaq	.Lcount_bytes_0_1_kernels___unnamed_8(%rip), %rdx
	movl	$12, %esi
	jmp	.Lcount_bytes_0_1_kernels_BB7_13
.Lcount_bytes_0_1_kernels_func_end7:
	.size	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx512, .Lcount_bytes_0_1_kernels_func_end7-ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx512

	.globl	count_bytes_0_1_kernels_count__avx512.status
	.p2align	4
	.type	count_bytes_0_1_kernels_count__avx512.status,@function
count_bytes_0_1_kernels_count__avx512.status:
	pushq	%rbx
	movq	%rdi, %rbx
	movq	%rsi, %rdi
	movl	%edx, %esi
	movq	%rcx, %rdx
	callq	ivl.count_bytes_0_1_kernels_count_bytes_0_1_kernels_count__avx512
	movq	%rax, (%rbx)
	movzbl	%dl, %eax
	andl	$1, %eax
	popq	%rbx
	retq
.Lcount_bytes_0_1_kernels_func_end8:
	.size	count_bytes_0_1_kernels_count__avx512.status, .Lcount_bytes_0_1_kernels_func_end8-count_bytes_0_1_kernels_count__avx512.status

	.globl	count_bytes_0_1_kernels_count
	.p2align	4
	.type	count_bytes_0_1_kernels_count,@function
count_bytes_0_1_kernels_count:
	movq	ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count(%rip), %rax
	jmpq	*%rax
.Lcount_bytes_0_1_kernels_func_end9:
	.size	count_bytes_0_1_kernels_count, .Lcount_bytes_0_1_kernels_func_end9-count_bytes_0_1_kernels_count

	.section	.text.unlikely.,"ax",@progbits
	.p2align	4
	.type	ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count,@function
ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count:
	pushq	%rbp
	pushq	%r14
	pushq	%rbx
	movq	%rdx, %rbx
	movl	%esi, %ebp
	movq	%rdi, %r14
	movl	$25, %edi
	callq	ivl_dispatch@PLT
	cmpl	$3, %eax
	jne	.Lcount_bytes_0_1_kernels_BB10_1
	movq	count_bytes_0_1_kernels_count__avx2@GOTPCREL(%rip), %rcx
	cmpl	$4, %eax
	je	.Lcount_bytes_0_1_kernels_BB10_4
	jmp	.Lcount_bytes_0_1_kernels_BB10_5
.Lcount_bytes_0_1_kernels_BB10_1:
	movq	count_bytes_0_1_kernels_count__sse2@GOTPCREL(%rip), %rcx
	cmpl	$4, %eax
	jne	.Lcount_bytes_0_1_kernels_BB10_5
.Lcount_bytes_0_1_kernels_BB10_4:
	movq	count_bytes_0_1_kernels_count__avx512@GOTPCREL(%rip), %rcx
.Lcount_bytes_0_1_kernels_BB10_5:
	movq	%rcx, ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count(%rip)
	movq	%r14, %rdi
	movl	%ebp, %esi
	movq	%rbx, %rdx
	popq	%rbx
	popq	%r14
	popq	%rbp
	jmpq	*%rcx
.Lcount_bytes_0_1_kernels_func_end10:
	.size	ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count, .Lcount_bytes_0_1_kernels_func_end10-ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count

	.type	.Lcount_bytes_0_1_kernels___unnamed_3,@object
	.section	.rodata,"a",@progbits
.Lcount_bytes_0_1_kernels___unnamed_3:
	.ascii	"null pointer"
	.size	.Lcount_bytes_0_1_kernels___unnamed_3, 12

	.type	.Lcount_bytes_0_1_kernels___unnamed_1,@object
.Lcount_bytes_0_1_kernels___unnamed_1:
	.ascii	"index out of bounds: index % of `text`, which has % elements"
	.size	.Lcount_bytes_0_1_kernels___unnamed_1, 60

	.type	.Lcount_bytes_0_1_kernels___unnamed_2,@object
.Lcount_bytes_0_1_kernels___unnamed_2:
	.ascii	"src/kernels.ivl"
	.size	.Lcount_bytes_0_1_kernels___unnamed_2, 15

	.type	.Lcount_bytes_0_1_kernels___unnamed_6,@object
.Lcount_bytes_0_1_kernels___unnamed_6:
	.ascii	"null pointer"
	.size	.Lcount_bytes_0_1_kernels___unnamed_6, 12

	.type	.Lcount_bytes_0_1_kernels___unnamed_4,@object
.Lcount_bytes_0_1_kernels___unnamed_4:
	.ascii	"index out of bounds: index % of `text`, which has % elements"
	.size	.Lcount_bytes_0_1_kernels___unnamed_4, 60

	.type	.Lcount_bytes_0_1_kernels___unnamed_5,@object
.Lcount_bytes_0_1_kernels___unnamed_5:
	.ascii	"src/kernels.ivl"
	.size	.Lcount_bytes_0_1_kernels___unnamed_5, 15

	.type	.Lcount_bytes_0_1_kernels___unnamed_9,@object
.Lcount_bytes_0_1_kernels___unnamed_9:
	.ascii	"null pointer"
	.size	.Lcount_bytes_0_1_kernels___unnamed_9, 12

	.type	.Lcount_bytes_0_1_kernels___unnamed_7,@object
.Lcount_bytes_0_1_kernels___unnamed_7:
	.ascii	"index out of bounds: index % of `text`, which has % elements"
	.size	.Lcount_bytes_0_1_kernels___unnamed_7, 60

	.type	.Lcount_bytes_0_1_kernels___unnamed_8,@object
.Lcount_bytes_0_1_kernels___unnamed_8:
	.ascii	"src/kernels.ivl"
	.size	.Lcount_bytes_0_1_kernels___unnamed_8, 15

	.type	ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count,@object
	.data
	.p2align	3, 0x0
ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count:
	.quad	ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count
	.size	ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count, 8

	.section	".note.GNU-stack","",@progbits
