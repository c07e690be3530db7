/*
 * frame.cu: starts the kernel of frame.cuh; lines.cu calls it.
 */
#include "frame.cuh"

template <typename L>
static void
launch(const LineScan *scan, cudaStream_t stream)
{
	auto		 kernel = frame_fold<L>;
	FrameArgs<L> a;

	memset(&a, 0, sizeof(a));
	a.in = (const typename L::X *) scan->in;
	a.frames = (const ScanFrame *) scan->in2;
	a.out = (typename L::X *) scan->out;
	a.out_valid = scan->out_valid;
	a.n = scan->n;
	a.answer = (FrameAnswer *) scan->answer;
	LAUNCH(kernel, (unsigned) ((a.n + L::BLOCK_ROWS - 1) / L::BLOCK_ROWS), FRAME_THREADS, stream, a);
}

size_t
frame_room(int64_t n, bool nulls, bool heads)
{
	(void) n, (void) nulls, (void) heads;
	return sizeof(uint32_t); /* none is needed, but a buffer is not empty */
}

ScanGpuCode
frame_start_line(const LineScan *scan, cudaStream_t stream)
{
	switch (scan->line)
	{
		case SCAN_OP_frame_sum_float8:
			launch<FrameSumFloat8>(scan, stream);
			break;
		case SCAN_OP_frame_sum_float4:
			launch<FrameSumFloat4>(scan, stream);
			break;
		default:
			launch<FrameSquaresFloat8>(scan, stream);
			break;
	}
	return SCAN_GPU_OK;
}

/* No answer is in doubt to the device: the backend looks at each (op/frame.h). */
ScanGpuCode
frame_finish_line(const void *answer, int64_t n, ScanGpuOperation *o)
{
	o->has_nulls = ((const FrameAnswer *) answer)->has_nulls != 0;
	o->status = SCAN_OK;
	o->done = n;
	o->carry->row += n;
	return SCAN_GPU_OK;
}

double
frame_start_fill(ScanFrame *frames, double *values, int64_t n, int64_t most, cudaStream_t stream)
{
	double length = (double) (n < most ? n : most);

	LAUNCH(frame_fill, (unsigned) ((n + FRAME_THREADS - 1) / FRAME_THREADS), FRAME_THREADS, stream, frames, values, n,
		   (uint32_t) length);
	return (double) n * length - length * (length - 1) / 2;
}
