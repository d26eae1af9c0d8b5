# y = x * w: a 16x16 product of int8, with the weights in the program.
.config core16
.input  x type=int8  shape=[16, 16] at=X_HBM
.output y type=int32 shape=[16, 16] at=Y_HBM

.equ X_HBM = 0x0000                 # bytes in HBM
.equ W_HBM = 0x1000
.equ Y_HBM = 0x2000
.equ X = 0                          # bytes in VMEM, a bank each
.equ W = cfg.bank_bytes
.equ Y = 2 * cfg.bank_bytes

  dma_shape  channel=0 n0=256 n1=1 n2=1 n3=1
  dma_load   channel=0 space=HBM imm_h=W_HBM imm_v=W signal=f1
  dma_load   channel=0 space=HBM imm_h=X_HBM imm_v=X signal=f2
  mxu_loadw  imm_a=W stride=1 k=16 n=16 dtype=S8 wait=f1:1
  mxu_matmul imm_a=X stride=1 rows=16 acc=0 dtype=S8 swap=1 wait=f2:1 signal=f3

  vpu_clear                         # accumulators to VMEM, unchanged
  vpu_seta   src=ACC dtype=I32 s0=1
  vpu_setd   dtype=I32 s0=4         # rows of 4 * 16 bytes, in units of 16
  vpu_shape  n0=16 n1=1 n2=1
  vpu_run    imm_a=0 imm_d=Y lanes=16 wait=f3:1 signal=f4

  dma_shape  channel=1 n0=1024 n1=1 n2=1 n3=1
  dma_store  channel=1 space=HBM imm_h=Y_HBM imm_v=Y wait=f4:1
  halt                              # waits until everything is done

.hbm W_HBM                          # w: twice the identity
  .s8 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0
  .s8 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2
