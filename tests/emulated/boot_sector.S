/* Boot sector: loads SECTORS_AT_ONCE * COUNT sectors behind it to LOAD_ADDRESS, enters protected mode and jumps there. A BIOS loads
 * it to 0x7c00. */
.set LOAD_ADDRESS, 0x200000
.set BUFFER, 0x10000
.set SECTORS_AT_ONCE, 64
.set DEBUG_PORT, 0xe9

.code16
.globl _start
_start:
    cli
    xor %ax, %ax
    mov %ax, %ds
    mov %ax, %ss
    mov $0x7000, %sp
    mov %dl, drive
    in $0x92, %al /* address line 20 */
    or $2, %al
    out %al, $0x92
    /* Into protected mode and back: fs keeps its limit of 4 GiB. */
    lgdt gdt_pointer
    mov %cr0, %eax
    or $1, %al
    mov %eax, %cr0
    mov $8, %bx
    mov %bx, %fs
    and $0xfe, %al
    mov %eax, %cr0
    mov $LOAD_ADDRESS, %edi
    mov $COUNT, %bp
next:
    mov drive, %dl
    mov $0x42, %ah
    mov $packet, %si
    int $0x13
    jc failed
    mov $BUFFER, %esi
    mov $(SECTORS_AT_ONCE * 512 / 4), %ecx
copy:
    mov %fs:(%esi), %eax
    mov %eax, %fs:(%edi)
    add $4, %esi
    add $4, %edi
    dec %ecx
    jnz copy
    addl $SECTORS_AT_ONCE, first_sector
    dec %bp
    jnz next
    cli
    mov %cr0, %eax
    or $1, %al
    mov %eax, %cr0
    ljmp $16, $protected
failed:
    mov $'F', %al
    out %al, $DEBUG_PORT
    hlt
.code32
protected:
    mov $8, %ax
    mov %ax, %ds
    mov %ax, %es
    mov %ax, %ss
    mov $LOAD_ADDRESS, %eax
    jmp *%eax

.align 8
gdt:
    .quad 0, 0x00cf92000000ffff, 0x00cf9a000000ffff /* none, data, code */
gdt_pointer:
    .word gdt_pointer - gdt - 1
    .long gdt
drive:
    .byte 0
.align 4
packet: /* of the BIOS's extended read */
    .byte 16, 0
    .word SECTORS_AT_ONCE, 0, BUFFER >> 4
first_sector:
    .quad 1
.org 510
    .word 0xaa55
