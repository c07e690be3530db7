/*
 * local.cu: a kernel with an array in local memory, to test what counts such accesses in machine code.
 *
 * test/t/ptx_layout.t wants no kernel of gpu/ to use local memory.  Its reader knows loads and stores by their numbers
 * in machine code, so it has to find the two stores and the load of this kernel.
 */
__global__ void
local_probe(int i, int j, int k, double *x)
{
	volatile double kept[4];

	kept[i & 3] = x[0];
	kept[j & 3] = x[1];
	x[2] = kept[k & 3];
}
