/* From protected mode without paging to run_tests() in 64-bit mode, with AVX-512 on. */
.section .start, "ax"
.code32
.globl _start
_start:
    cli
    /* The first GiB onto itself, in pages of 2 MiB. */
    movl $(page_directories + 3), page_map
    movl $(page_directory + 3), page_directories
    mov $page_directory, %edi
    mov $0x83, %eax
    mov $512, %ecx
fill:
    mov %eax, (%edi)
    movl $0, 4(%edi)
    add $0x200000, %eax
    add $8, %edi
    loop fill
    mov $page_map, %eax
    mov %eax, %cr3
    mov %cr4, %eax
    or $0x40620, %eax /* PAE, OSFXSR, OSXMMEXCPT, OSXSAVE */
    mov %eax, %cr4
    mov $0xc0000080, %ecx /* EFER: long mode */
    rdmsr
    or $0x100, %eax
    wrmsr
    mov %cr0, %eax
    and $0xfffffffb, %eax /* no emulation of x87 */
    or $0x80000002, %eax
    mov %eax, %cr0
    lgdt gdt_pointer
    ljmp $8, $in_long_mode
.code64
in_long_mode:
    mov $16, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    xor %ecx, %ecx
    xgetbv
    or $0xe7, %eax /* x87, SSE, AVX, and the three parts of AVX-512 */
    xsetbv
    mov $stack_top, %rsp
    call run_tests
stop:
    hlt
    jmp stop

.section .data
.align 8
gdt:
    .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff /* none, code, data */
gdt_pointer:
    .word gdt_pointer - gdt - 1
    .long gdt

.section .bss
.align 4096
page_map:
    .skip 4096
page_directories:
    .skip 4096
page_directory:
    .skip 4096
.align 64
    .skip 4 << 20
stack_top:

.section .note.GNU-stack, "", @progbits
