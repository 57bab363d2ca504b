	.file	"ivl"
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.Lcount_bytes_0_1_kernels_CPI0_0:
	.long	12
	.long	13
	.long	14
	.long	15
.Lcount_bytes_0_1_kernels_CPI0_1:
	.long	8
	.long	9
	.long	10
	.long	11
.Lcount_bytes_0_1_kernels_CPI0_2:
	.long	4
	.long	5
	.long	6
	.long	7
.Lcount_bytes_0_1_kernels_CPI0_3:
	.long	0
	.long	1
	.long	2
	.long	3
.Lcount_bytes_0_1_kernels_CPI0_4:
	.long	28
	.long	29
	.long	30
	.long	31
.Lcount_bytes_0_1_kernels_CPI0_5:
	.long	24
	.long	25
	.long	26
	.long	27
.Lcount_bytes_0_1_kernels_CPI0_6:
	.long	20
	.long	21
	.long	22
	.long	23
.Lcount_bytes_0_1_kernels_CPI0_7:
	.long	16
	.long	17
	.long	18
	.long	19
.Lcount_bytes_0_1_kernels_CPI0_8:
	.long	44
	.long	45
	.long	46
	.long	47
.Lcount_bytes_0_1_kernels_CPI0_9:
	.long	40
	.long	41
	.long	42
	.long	43
.Lcount_bytes_0_1_kernels_CPI0_10:
	.long	36
	.long	37
	.long	38
	.long	39
.Lcount_bytes_0_1_kernels_CPI0_11:
	.long	32
	.long	33
	.long	34
	.long	35
.Lcount_bytes_0_1_kernels_CPI0_12:
	.long	60
	.long	61
	.long	62
	.long	63
.Lcount_bytes_0_1_kernels_CPI0_13:
	.long	56
	.long	57
	.long	58
	.long	59
.Lcount_bytes_0_1_kernels_CPI0_14:
	.long	52
	.long	53
	.long	54
	.long	55
.Lcount_bytes_0_1_kernels_CPI0_15:
	.long	48
	.long	49
	.long	50
	.long	51
	.text
	.globl	count_bytes_0_1_kernels_count__sse2
	.p2align	4
	.type	count_bytes_0_1_kernels_count__sse2,@function
count_bytes_0_1_kernels_count__sse2:
	testq	%rdx, %rdx
	jle	.Lcount_bytes_0_1_kernels_BB0_1
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$56, %rsp
	movzbl	%sil, %eax
	movd	%eax, %xmm0
	punpcklbw	%xmm0, %xmm0
	pshuflw	$0, %xmm0, %xmm0
	pshufd	$68, %xmm0, %xmm0
	xorl	%esi, %esi
	movabsq	$9223372036854759488, %r8
	leaq	-16(%rsp), %r9
	xorl	%eax, %eax
	xorl	%ebx, %ebx
	jmp	.Lcount_bytes_0_1_kernels_BB0_4
.Lcount_bytes_0_1_kernels_BB0_14:
	movq	%rbx, %r14
.Lcount_bytes_0_1_kernels_BB0_16:
	pxor	%xmm13, %xmm13
	pcmpgtd	%xmm14, %xmm13
	pxor	%xmm7, %xmm7
	pcmpgtd	%xmm15, %xmm7
	packssdw	%xmm7, %xmm13
	pxor	%xmm7, %xmm7
	pcmpgtd	-64(%rsp), %xmm7
	pxor	%xmm14, %xmm14
	pcmpgtd	-32(%rsp), %xmm14
	packssdw	%xmm14, %xmm7
	packsswb	%xmm7, %xmm13
	pxor	%xmm7, %xmm7
	pcmpgtd	%xmm9, %xmm7
	pxor	%xmm9, %xmm9
	pcmpgtd	%xmm2, %xmm9
	packssdw	%xmm9, %xmm7
	pxor	%xmm2, %xmm2
	pcmpgtd	-80(%rsp), %xmm2
	pxor	%xmm9, %xmm9
	pcmpgtd	-48(%rsp), %xmm9
	packssdw	%xmm9, %xmm2
	packsswb	%xmm2, %xmm7
	pxor	%xmm2, %xmm2
	pcmpgtd	%xmm12, %xmm2
	pxor	%xmm9, %xmm9
	pcmpgtd	%xmm10, %xmm9
	packssdw	%xmm9, %xmm2
	pxor	%xmm9, %xmm9
	pcmpgtd	-128(%rsp), %xmm9
	pxor	%xmm10, %xmm10
	pcmpgtd	-96(%rsp), %xmm10
	packssdw	%xmm10, %xmm9
	packsswb	%xmm9, %xmm2
	pxor	%xmm9, %xmm9
	pcmpgtd	%xmm8, %xmm9
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm11, %xmm8
	packssdw	%xmm8, %xmm9
	pxor	%xmm8, %xmm8
	pcmpgtd	%xmm1, %xmm8
	pxor	%xmm1, %xmm1
	pcmpgtd	-112(%rsp), %xmm1
	packssdw	%xmm1, %xmm8
	packsswb	%xmm8, %xmm9
	movdqu	(%r14), %xmm1
	pcmpeqb	%xmm0, %xmm1
	pand	%xmm13, %xmm1
	movdqu	16(%r14), %xmm8
	pcmpeqb	%xmm0, %xmm8
	pand	%xmm7, %xmm8
	movdqu	32(%r14), %xmm7
	pcmpeqb	%xmm0, %xmm7
	pand	%xmm2, %xmm7
	movdqu	48(%r14), %xmm2
	pcmpeqb	%xmm0, %xmm2
	pand	%xmm9, %xmm2
	psubb	%xmm1, %xmm3
	psubb	%xmm8, %xmm4
	psubb	%xmm7, %xmm5
	psubb	%xmm2, %xmm6
.Lcount_bytes_0_1_kernels_BB0_17:
	pxor	%xmm1, %xmm1
	psadbw	%xmm1, %xmm3
	psadbw	%xmm1, %xmm5
	paddq	%xmm3, %xmm5
	psadbw	%xmm1, %xmm4
	psadbw	%xmm1, %xmm6
	paddq	%xmm4, %xmm6
	paddq	%xmm5, %xmm6
	pshufd	$238, %xmm6, %xmm1
	paddq	%xmm6, %xmm1
	pextrw	$0, %xmm1, %ecx
	addq	%rcx, %rax
	movq	%r11, %rbx
	cmpq	%rdx, %r10
	jge	.Lcount_bytes_0_1_kernels_BB0_18
.Lcount_bytes_0_1_kernels_BB0_4:
	leaq	16320(%rbx), %r10
	cmpq	%r10, %rdx
	movq	%r10, %r11
	cmovlq	%rdx, %r11
	movq	%r11, %r15
	subq	%rbx, %r15
	cmpq	%r8, %rbx
	cmovgeq	%rsi, %r15
	movq	%r15, %r14
	andq	$-64, %r14
	je	.Lcount_bytes_0_1_kernels_BB0_5
	leaq	-1(%r14), %r13
	shrq	$6, %r13
	je	.Lcount_bytes_0_1_kernels_BB0_7
	incq	%r13
	movq	%r13, %rbp
	andq	$-2, %rbp
	leaq	64(%rdi), %rcx
	addq	%rbx, %rcx
	pxor	%xmm3, %xmm3
	pxor	%xmm4, %xmm4
	pxor	%xmm5, %xmm5
	pxor	%xmm6, %xmm6
	xorl	%r12d, %r12d
	.p2align	4
.Lcount_bytes_0_1_kernels_BB0_9:
	movdqu	-64(%rcx,%r12), %xmm1
	movdqu	-48(%rcx,%r12), %xmm2
	movdqu	-32(%rcx,%r12), %xmm7
	movdqu	-16(%rcx,%r12), %xmm8
	pcmpeqb	%xmm0, %xmm2
	psubb	%xmm2, %xmm4
	pcmpeqb	%xmm0, %xmm1
	psubb	%xmm1, %xmm3
	pcmpeqb	%xmm0, %xmm7
	psubb	%xmm7, %xmm5
	pcmpeqb	%xmm0, %xmm8
	psubb	%xmm8, %xmm6
	movdqu	16(%rcx,%r12), %xmm1
	movdqu	(%rcx,%r12), %xmm2
	movdqu	32(%rcx,%r12), %xmm7
	movdqu	48(%rcx,%r12), %xmm8
	pcmpeqb	%xmm0, %xmm8
	psubb	%xmm8, %xmm6
	pcmpeqb	%xmm0, %xmm7
	psubb	%xmm7, %xmm5
	pcmpeqb	%xmm0, %xmm2
	psubb	%xmm2, %xmm3
	pcmpeqb	%xmm0, %xmm1
	psubb	%xmm1, %xmm4
	subq	$-128, %r12
	addq	$-2, %rbp
	jne	.Lcount_bytes_0_1_kernels_BB0_9
	testb	$1, %r13b
	je	.Lcount_bytes_0_1_kernels_BB0_12
	jmp	.Lcount_bytes_0_1_kernels_BB0_11
	.p2align	4
.Lcount_bytes_0_1_kernels_BB0_5:
	xorl	%r12d, %r12d
	pxor	%xmm3, %xmm3
	pxor	%xmm4, %xmm4
	pxor	%xmm5, %xmm5
	pxor	%xmm6, %xmm6
.Lcount_bytes_0_1_kernels_BB0_12:
	cmpq	%r15, %r12
	jae	.Lcount_bytes_0_1_kernels_BB0_17
	jmp	.Lcount_bytes_0_1_kernels_BB0_13
	.p2align	4
.Lcount_bytes_0_1_kernels_BB0_7:
	pxor	%xmm3, %xmm3
	pxor	%xmm4, %xmm4
	pxor	%xmm5, %xmm5
	pxor	%xmm6, %xmm6
	xorl	%r12d, %r12d
.Lcount_bytes_0_1_kernels_BB0_11:
	leaq	(%rdi,%rbx), %rcx
	movdqu	(%rcx,%r12), %xmm1
	movdqu	16(%rcx,%r12), %xmm2
	movdqu	32(%rcx,%r12), %xmm7
	movdqu	48(%rcx,%r12), %xmm8
	pcmpeqb	%xmm0, %xmm8
	psubb	%xmm8, %xmm6
	pcmpeqb	%xmm0, %xmm7
	psubb	%xmm7, %xmm5
	pcmpeqb	%xmm0, %xmm1
	psubb	%xmm1, %xmm3
	pcmpeqb	%xmm0, %xmm2
	psubb	%xmm2, %xmm4
	addq	$64, %r12
	cmpq	%r15, %r12
	jae	.Lcount_bytes_0_1_kernels_BB0_17
.Lcount_bytes_0_1_kernels_BB0_13:
	andl	$63, %r15d
	movd	%r15d, %xmm1
	pshufd	$0, %xmm1, %xmm8
	movdqa	%xmm8, %xmm2
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_0(%rip), %xmm2
	movdqa	%xmm8, %xmm1
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_1(%rip), %xmm1
	movdqa	%xmm1, -64(%rsp)
	movdqa	%xmm2, -32(%rsp)
	packssdw	%xmm2, %xmm1
	movdqa	%xmm8, %xmm15
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_2(%rip), %xmm15
	movdqa	%xmm8, %xmm14
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_3(%rip), %xmm14
	movdqa	%xmm14, %xmm2
	packssdw	%xmm15, %xmm2
	packsswb	%xmm1, %xmm2
	pmovmskb	%xmm2, %ecx
	movdqa	%xmm8, %xmm2
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_4(%rip), %xmm2
	movdqa	%xmm8, %xmm1
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_5(%rip), %xmm1
	movdqa	%xmm1, -80(%rsp)
	movdqa	%xmm2, -48(%rsp)
	packssdw	%xmm2, %xmm1
	movdqa	%xmm8, %xmm2
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_6(%rip), %xmm2
	movdqa	%xmm8, %xmm9
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_7(%rip), %xmm9
	movdqa	%xmm9, %xmm10
	packssdw	%xmm2, %xmm10
	packsswb	%xmm1, %xmm10
	pmovmskb	%xmm10, %r15d
	movdqa	%xmm8, %xmm7
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_8(%rip), %xmm7
	movdqa	%xmm8, %xmm1
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_9(%rip), %xmm1
	movdqa	%xmm1, -128(%rsp)
	movdqa	%xmm7, -96(%rsp)
	packssdw	%xmm7, %xmm1
	movdqa	%xmm8, %xmm10
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_10(%rip), %xmm10
	movdqa	%xmm8, %xmm12
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_11(%rip), %xmm12
	movdqa	%xmm12, %xmm11
	packssdw	%xmm10, %xmm11
	packsswb	%xmm1, %xmm11
	pmovmskb	%xmm11, %ebp
	movdqa	%xmm8, %xmm7
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_12(%rip), %xmm7
	movdqa	%xmm8, %xmm1
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_13(%rip), %xmm1
	movdqa	%xmm1, %xmm13
	movdqa	%xmm7, -112(%rsp)
	packssdw	%xmm7, %xmm13
	movdqa	%xmm8, %xmm11
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_14(%rip), %xmm11
	pcmpgtd	.Lcount_bytes_0_1_kernels_CPI0_15(%rip), %xmm8
	movdqa	%xmm8, %xmm7
	packssdw	%xmm11, %xmm7
	packsswb	%xmm13, %xmm7
	pmovmskb	%xmm7, %r12d
	shll	$16, %r15d
	orl	%ecx, %r15d
	shll	$16, %r12d
	orl	%ebp, %r12d
	shlq	$32, %r12
	orq	%r15, %r12
	addq	%rdi, %rbx
	addq	%r14, %rbx
	cmpq	$-1, %r12
	je	.Lcount_bytes_0_1_kernels_BB0_14
	pxor	%xmm7, %xmm7
	movdqa	%xmm7, 32(%rsp)
	movdqa	%xmm7, 16(%rsp)
	movdqa	%xmm7, (%rsp)
	movdqa	%xmm7, -16(%rsp)
	movq	%r9, %r14
	testq	%r12, %r12
	je	.Lcount_bytes_0_1_kernels_BB0_16
	.p2align	4
.Lcount_bytes_0_1_kernels_BB0_19:
	movq	%r12, %rcx
	rep		bsfq	%r12, %r14
	movzbl	(%rbx,%r14), %ebp
	movb	%bpl, -16(%rsp,%r14)
	decq	%r12
	andq	%rcx, %r12
	jne	.Lcount_bytes_0_1_kernels_BB0_19
	movq	%r9, %r14
	jmp	.Lcount_bytes_0_1_kernels_BB0_16
.Lcount_bytes_0_1_kernels_BB0_18:
	addq	$56, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lcount_bytes_0_1_kernels_BB0_1:
	xorl	%eax, %eax
	retq
.Lcount_bytes_0_1_kernels_func_end0:
	.size	count_bytes_0_1_kernels_count__sse2, .Lcount_bytes_0_1_kernels_func_end0-count_bytes_0_1_kernels_count__sse2

	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.Lcount_bytes_0_1_kernels_CPI1_0:
	.long	24
	.long	25
	.long	26
	.long	27
	.long	28
	.long	29
	.long	30
	.long	31
.Lcount_bytes_0_1_kernels_CPI1_1:
	.long	16
	.long	17
	.long	18
	.long	19
	.long	20
	.long	21
	.long	22
	.long	23
.Lcount_bytes_0_1_kernels_CPI1_2:
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
.Lcount_bytes_0_1_kernels_CPI1_3:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
.Lcount_bytes_0_1_kernels_CPI1_4:
	.long	56
	.long	57
	.long	58
	.long	59
	.long	60
	.long	61
	.long	62
	.long	63
.Lcount_bytes_0_1_kernels_CPI1_5:
	.long	48
	.long	49
	.long	50
	.long	51
	.long	52
	.long	53
	.long	54
	.long	55
.Lcount_bytes_0_1_kernels_CPI1_6:
	.long	40
	.long	41
	.long	42
	.long	43
	.long	44
	.long	45
	.long	46
	.long	47
.Lcount_bytes_0_1_kernels_CPI1_7:
	.long	32
	.long	33
	.long	34
	.long	35
	.long	36
	.long	37
	.long	38
	.long	39
	.text
	.globl	count_bytes_0_1_kernels_count__avx2
	.p2align	4
	.type	count_bytes_0_1_kernels_count__avx2,@function
count_bytes_0_1_kernels_count__avx2:
	testq	%rdx, %rdx
	jle	.Lcount_bytes_0_1_kernels_BB1_1
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-32, %rsp
	subq	$96, %rsp
	vmovd	%esi, %xmm0
	vpbroadcastb	%xmm0, %ymm0
	xorl	%esi, %esi
	movabsq	$9223372036854759488, %r8
	vmovdqa	.Lcount_bytes_0_1_kernels_CPI1_6(%rip), %ymm7
	vmovdqa	.Lcount_bytes_0_1_kernels_CPI1_7(%rip), %ymm8
	vpxor	%xmm9, %xmm9, %xmm9
	xorl	%eax, %eax
	xorl	%ebx, %ebx
	jmp	.Lcount_bytes_0_1_kernels_BB1_4
.Lcount_bytes_0_1_kernels_BB1_15:
	movq	%rbx, %rcx
.Lcount_bytes_0_1_kernels_BB1_17:
	vpcmpgtd	%ymm2, %ymm9, %ymm2
	vpcmpgtd	%ymm1, %ymm9, %ymm1
	vpackssdw	%ymm1, %ymm2, %ymm1
	vpermq	$216, %ymm1, %ymm1
	vpcmpgtd	%ymm13, %ymm9, %ymm2
	vpcmpgtd	%ymm12, %ymm9, %ymm5
	vpackssdw	%ymm5, %ymm2, %ymm2
	vpermq	$216, %ymm2, %ymm2
	vpacksswb	%ymm2, %ymm1, %ymm1
	vpermq	$216, %ymm1, %ymm1
	vpcmpgtd	%ymm4, %ymm9, %ymm2
	vpcmpgtd	%ymm3, %ymm9, %ymm3
	vpackssdw	%ymm3, %ymm2, %ymm2
	vpermq	$216, %ymm2, %ymm2
	vpcmpgtd	%ymm15, %ymm9, %ymm3
	vpcmpgtd	%ymm14, %ymm9, %ymm4
	vpackssdw	%ymm4, %ymm3, %ymm3
	vpermq	$216, %ymm3, %ymm3
	vpacksswb	%ymm3, %ymm2, %ymm2
	vpermq	$216, %ymm2, %ymm2
	vpcmpeqb	(%rcx), %ymm0, %ymm3
	vpcmpeqb	32(%rcx), %ymm0, %ymm4
	vpand	%ymm3, %ymm1, %ymm1
	vpand	%ymm4, %ymm2, %ymm2
	vpsubb	%ymm1, %ymm10, %ymm10
	vpsubb	%ymm2, %ymm11, %ymm11
.Lcount_bytes_0_1_kernels_BB1_18:
	vpsadbw	%ymm9, %ymm10, %ymm1
	vpsadbw	%ymm9, %ymm11, %ymm2
	vpaddq	%ymm2, %ymm1, %ymm1
	vextracti128	$1, %ymm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vpshufd	$238, %xmm1, %xmm2
	vpaddq	%xmm2, %xmm1, %xmm1
	vpextrw	$0, %xmm1, %ecx
	addq	%rcx, %rax
	movq	%r11, %rbx
	cmpq	%rdx, %r10
	jge	.Lcount_bytes_0_1_kernels_BB1_19
.Lcount_bytes_0_1_kernels_BB1_4:
	leaq	16320(%rbx), %r10
	cmpq	%r10, %rdx
	movq	%r10, %r11
	cmovlq	%rdx, %r11
	movq	%r11, %r15
	subq	%rbx, %r15
	cmpq	%r8, %rbx
	cmovgeq	%rsi, %r15
	movq	%r15, %r14
	andq	$-64, %r14
	je	.Lcount_bytes_0_1_kernels_BB1_5
	leaq	-1(%r14), %r12
	shrq	$6, %r12
	incq	%r12
	movl	%r12d, %ecx
	andl	$3, %ecx
	cmpq	$193, %r14
	jae	.Lcount_bytes_0_1_kernels_BB1_8
	vpxor	%xmm10, %xmm10, %xmm10
	vpxor	%xmm11, %xmm11, %xmm11
	xorl	%r13d, %r13d
	jmp	.Lcount_bytes_0_1_kernels_BB1_11
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_5:
	xorl	%r13d, %r13d
	vpxor	%xmm10, %xmm10, %xmm10
	vpxor	%xmm11, %xmm11, %xmm11
	jmp	.Lcount_bytes_0_1_kernels_BB1_13
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_8:
	andq	$-4, %r12
	leaq	192(%rdi), %r9
	addq	%rbx, %r9
	vpxor	%xmm10, %xmm10, %xmm10
	vpxor	%xmm11, %xmm11, %xmm11
	xorl	%r13d, %r13d
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_9:
	vpcmpeqb	-192(%r9,%r13), %ymm0, %ymm1
	vpsubb	%ymm1, %ymm10, %ymm1
	vpcmpeqb	-160(%r9,%r13), %ymm0, %ymm2
	vpsubb	%ymm2, %ymm11, %ymm2
	vpcmpeqb	-96(%r9,%r13), %ymm0, %ymm3
	vpcmpeqb	-128(%r9,%r13), %ymm0, %ymm4
	vpsubb	%ymm3, %ymm2, %ymm2
	vpsubb	%ymm4, %ymm1, %ymm1
	vpcmpeqb	-64(%r9,%r13), %ymm0, %ymm3
	vpsubb	%ymm3, %ymm1, %ymm1
	vpcmpeqb	-32(%r9,%r13), %ymm0, %ymm3
	vpsubb	%ymm3, %ymm2, %ymm2
	vpcmpeqb	32(%r9,%r13), %ymm0, %ymm3
	vpcmpeqb	(%r9,%r13), %ymm0, %ymm4
	vpsubb	%ymm3, %ymm2, %ymm11
	vpsubb	%ymm4, %ymm1, %ymm10
	addq	$256, %r13
	addq	$-4, %r12
	jne	.Lcount_bytes_0_1_kernels_BB1_9
	testq	%rcx, %rcx
	je	.Lcount_bytes_0_1_kernels_BB1_13
.Lcount_bytes_0_1_kernels_BB1_11:
	leaq	(%rdi,%rbx), %r9
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_12:
	vpcmpeqb	32(%r9,%r13), %ymm0, %ymm1
	vpcmpeqb	(%r9,%r13), %ymm0, %ymm2
	vpsubb	%ymm1, %ymm11, %ymm11
	vpsubb	%ymm2, %ymm10, %ymm10
	addq	$64, %r13
	decq	%rcx
	jne	.Lcount_bytes_0_1_kernels_BB1_12
.Lcount_bytes_0_1_kernels_BB1_13:
	cmpq	%r15, %r13
	jae	.Lcount_bytes_0_1_kernels_BB1_18
	andl	$63, %r15d
	vmovd	%r15d, %xmm1
	vpbroadcastd	%xmm1, %ymm4
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_0(%rip), %ymm4, %ymm12
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_1(%rip), %ymm4, %ymm13
	vpackssdw	%ymm12, %ymm13, %ymm1
	vpermq	$216, %ymm1, %ymm3
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_2(%rip), %ymm4, %ymm1
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_3(%rip), %ymm4, %ymm2
	vpackssdw	%ymm1, %ymm2, %ymm14
	vpermq	$216, %ymm14, %ymm14
	vpacksswb	%ymm3, %ymm14, %ymm3
	vpermq	$216, %ymm3, %ymm3
	vpmovmskb	%ymm3, %ecx
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_4(%rip), %ymm4, %ymm14
	vpcmpgtd	.Lcount_bytes_0_1_kernels_CPI1_5(%rip), %ymm4, %ymm15
	vpackssdw	%ymm14, %ymm15, %ymm3
	vpermq	$216, %ymm3, %ymm5
	vpcmpgtd	%ymm7, %ymm4, %ymm3
	vpcmpgtd	%ymm8, %ymm4, %ymm4
	vpackssdw	%ymm3, %ymm4, %ymm6
	vpermq	$216, %ymm6, %ymm6
	vpacksswb	%ymm5, %ymm6, %ymm5
	vpermq	$216, %ymm5, %ymm5
	vpmovmskb	%ymm5, %r9d
	shlq	$32, %r9
	orq	%rcx, %r9
	addq	%rdi, %rbx
	addq	%r14, %rbx
	cmpq	$-1, %r9
	je	.Lcount_bytes_0_1_kernels_BB1_15
	vmovdqa	%ymm9, 32(%rsp)
	vmovdqa	%ymm9, (%rsp)
	movq	%rsp, %rcx
	testq	%r9, %r9
	je	.Lcount_bytes_0_1_kernels_BB1_17
	.p2align	4
.Lcount_bytes_0_1_kernels_BB1_20:
	xorl	%ecx, %ecx
	tzcntq	%r9, %rcx
	movzbl	(%rbx,%rcx), %r14d
	movb	%r14b, (%rsp,%rcx)
	blsrq	%r9, %r9
	jne	.Lcount_bytes_0_1_kernels_BB1_20
	movq	%rsp, %rcx
	jmp	.Lcount_bytes_0_1_kernels_BB1_17
.Lcount_bytes_0_1_kernels_BB1_19:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
	retq
.Lcount_bytes_0_1_kernels_BB1_1:
	xorl	%eax, %eax
	retq
.Lcount_bytes_0_1_kernels_func_end1:
	.size	count_bytes_0_1_kernels_count__avx2, .Lcount_bytes_0_1_kernels_func_end1-count_bytes_0_1_kernels_count__avx2

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.Lcount_bytes_0_1_kernels_CPI2_0:
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
.Lcount_bytes_0_1_kernels_CPI2_1:
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
.Lcount_bytes_0_1_kernels_CPI2_2:
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
.Lcount_bytes_0_1_kernels_CPI2_3:
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
	.globl	count_bytes_0_1_kernels_count__avx512
	.p2align	4
	.type	count_bytes_0_1_kernels_count__avx512,@function
count_bytes_0_1_kernels_count__avx512:
	testq	%rdx, %rdx
	jle	.Lcount_bytes_0_1_kernels_BB2_1
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	vpbroadcastb	%esi, %zmm0
	xorl	%esi, %esi
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI2_0(%rip), %zmm1
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI2_1(%rip), %zmm2
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI2_2(%rip), %zmm3
	movabsq	$9223372036854759488, %r8
	vmovdqa64	.Lcount_bytes_0_1_kernels_CPI2_3(%rip), %zmm4
	vpxor	%xmm5, %xmm5, %xmm5
	xorl	%eax, %eax
	xorl	%r11d, %r11d
	jmp	.Lcount_bytes_0_1_kernels_BB2_4
	.p2align	4
.Lcount_bytes_0_1_kernels_BB2_15:
	vpsadbw	%zmm5, %zmm6, %zmm6
	vextracti64x4	$1, %zmm6, %ymm7
	vpaddq	%ymm7, %ymm6, %ymm6
	vextracti128	$1, %ymm6, %xmm7
	vpaddq	%xmm7, %xmm6, %xmm6
	vpshufd	$238, %xmm6, %xmm7
	vpaddq	%xmm7, %xmm6, %xmm6
	vpextrw	$0, %xmm6, %ecx
	addq	%rcx, %rax
	movq	%r10, %r11
	cmpq	%rdx, %r9
	jge	.Lcount_bytes_0_1_kernels_BB2_16
.Lcount_bytes_0_1_kernels_BB2_4:
	leaq	16320(%r11), %r9
	cmpq	%r9, %rdx
	movq	%r9, %r10
	cmovlq	%rdx, %r10
	movq	%r10, %r14
	subq	%r11, %r14
	cmpq	%r8, %r11
	cmovgeq	%rsi, %r14
	movq	%r14, %rbx
	movl	$0, %r15d
	vpxor	%xmm6, %xmm6, %xmm6
	andq	$-64, %rbx
	je	.Lcount_bytes_0_1_kernels_BB2_13
	leaq	-1(%rbx), %r15
	movq	%r15, %rbp
	shrq	$6, %rbp
	incq	%rbp
	movl	%ebp, %r12d
	andl	$7, %r12d
	cmpq	$449, %rbx
	jae	.Lcount_bytes_0_1_kernels_BB2_7
	xorl	%r13d, %r13d
	jmp	.Lcount_bytes_0_1_kernels_BB2_10
	.p2align	4
.Lcount_bytes_0_1_kernels_BB2_7:
	andq	$-8, %rbp
	leaq	448(%rdi), %rcx
	addq	%r11, %rcx
	xorl	%r13d, %r13d
	.p2align	4
.Lcount_bytes_0_1_kernels_BB2_8:
	vpcmpeqb	-448(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	vpcmpeqb	-384(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	vpcmpeqb	-320(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	vpcmpeqb	-256(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	vpcmpeqb	-192(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	vpcmpeqb	-128(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	vpcmpeqb	-64(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	vpcmpeqb	(%rcx,%r13), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	addq	$512, %r13
	addq	$-8, %rbp
	jne	.Lcount_bytes_0_1_kernels_BB2_8
	testq	%r12, %r12
	je	.Lcount_bytes_0_1_kernels_BB2_12
.Lcount_bytes_0_1_kernels_BB2_10:
	addq	%rdi, %r13
	addq	%r11, %r13
	shll	$6, %r12d
	xorl	%ecx, %ecx
	.p2align	4
.Lcount_bytes_0_1_kernels_BB2_11:
	vpcmpeqb	(%r13,%rcx), %zmm0, %k0
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	addq	$64, %rcx
	cmpq	%rcx, %r12
	jne	.Lcount_bytes_0_1_kernels_BB2_11
.Lcount_bytes_0_1_kernels_BB2_12:
	andq	$-64, %r15
	addq	$64, %r15
.Lcount_bytes_0_1_kernels_BB2_13:
	cmpq	%r14, %r15
	jae	.Lcount_bytes_0_1_kernels_BB2_15
	andl	$63, %r14d
	vpbroadcastd	%r14d, %zmm7
	vpcmpgtd	%zmm1, %zmm7, %k0
	vpcmpgtd	%zmm2, %zmm7, %k1
	kunpckwd	%k0, %k1, %k0
	vpcmpgtd	%zmm3, %zmm7, %k1
	vpcmpgtd	%zmm4, %zmm7, %k2
	kunpckwd	%k1, %k2, %k1
	kunpckdq	%k0, %k1, %k1
	addq	%rdi, %r11
	vpcmpeqb	(%rbx,%r11), %zmm0, %k0 {%k1}
	vpmovm2b	%k0, %zmm7
	vpsubb	%zmm7, %zmm6, %zmm6
	jmp	.Lcount_bytes_0_1_kernels_BB2_15
.Lcount_bytes_0_1_kernels_BB2_16:
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	vzeroupper
	retq
.Lcount_bytes_0_1_kernels_BB2_1:
	xorl	%eax, %eax
	retq
.Lcount_bytes_0_1_kernels_func_end2:
	.size	count_bytes_0_1_kernels_count__avx512, .Lcount_bytes_0_1_kernels_func_end2-count_bytes_0_1_kernels_count__avx512

	.globl	count_bytes_0_1_kernels_count
	.p2align	4
	.type	count_bytes_0_1_kernels_count,@function
count_bytes_0_1_kernels_count:
	movq	ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count(%rip), %rax
	jmpq	*%rax
.Lcount_bytes_0_1_kernels_func_end3:
	.size	count_bytes_0_1_kernels_count, .Lcount_bytes_0_1_kernels_func_end3-count_bytes_0_1_kernels_count

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
	jne	.Lcount_bytes_0_1_kernels_BB4_1
	movq	count_bytes_0_1_kernels_count__avx2@GOTPCREL(%rip), %rcx
	cmpl	$4, %eax
	je	.Lcount_bytes_0_1_kernels_BB4_4
	jmp	.Lcount_bytes_0_1_kernels_BB4_5
.Lcount_bytes_0_1_kernels_BB4_1:
	movq	count_bytes_0_1_kernels_count__sse2@GOTPCREL(%rip), %rcx
	cmpl	$4, %eax
	jne	.Lcount_bytes_0_1_kernels_BB4_5
.Lcount_bytes_0_1_kernels_BB4_4:
	movq	count_bytes_0_1_kernels_count__avx512@GOTPCREL(%rip), %rcx
.Lcount_bytes_0_1_kernels_BB4_5:
	movq	%rcx, ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count(%rip)
	movq	%r14, %rdi
	movl	%ebp, %esi
	movq	%rbx, %rdx
	popq	%rbx
	popq	%r14
	popq	%rbp
	jmpq	*%rcx
.Lcount_bytes_0_1_kernels_func_end4:
	.size	ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count, .Lcount_bytes_0_1_kernels_func_end4-ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count

	.type	ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count,@object
	.data
	.p2align	3, 0x0
ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count:
	.quad	ivl.count_bytes_0_1_kernels_choose.count_bytes_0_1_kernels_count
	.size	ivl.count_bytes_0_1_kernels_code.count_bytes_0_1_kernels_count, 8

	.section	".note.GNU-stack","",@progbits
