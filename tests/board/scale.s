# y = 2 * x for four rows of mini's array: weights twice the identity.
.config mini
.input  x type=int8  shape=[4, 4] at=X_HBM
.output y type=int32 shape=[4, 4] at=Y_HBM

.equ X_HBM = 0x000
.equ W_HBM = 0x100
.equ Y_HBM = 0x200
.equ X = 0
.equ W = cfg.bank_bytes
.equ Y = 2 * cfg.bank_bytes

  dma_shape  channel=0 n0=16 n1=1 n2=1 n3=1
  dma_load   channel=0 space=HBM imm_h=W_HBM imm_v=W signal=f1
  dma_load   channel=0 space=HBM imm_h=X_HBM imm_v=X signal=f2
  mxu_loadw  imm_a=W stride=1 k=4 n=4 dtype=S8 wait=f1:1
  mxu_matmul imm_a=X stride=1 rows=4 acc=0 dtype=S8 swap=1 wait=f2:1 signal=f3

  vpu_clear
  vpu_seta   src=ACC dtype=I32 s0=1
  vpu_setd   dtype=I32 s0=4
  vpu_shape  n0=4 n1=1 n2=1
  vpu_run    imm_a=0 imm_d=Y lanes=4 wait=f3:1 signal=f4

  dma_shape  channel=1 n0=64 n1=1 n2=1 n3=1
  dma_store  channel=1 space=HBM imm_h=Y_HBM imm_v=Y wait=f4:1
  halt

.hbm W_HBM
  .s8 2, 0, 0, 0
  .s8 0, 2, 0, 0
  .s8 0, 0, 2, 0
  .s8 0, 0, 0, 2
