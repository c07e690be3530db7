/*
 * frame_text.h: prints a frame clause.
 */
#ifndef SCAN_NODE_FRAME_TEXT_H
#define SCAN_NODE_FRAME_TEXT_H

/*
 * Returns the frame clause for `options` (FRAMEOPTION_...), palloc'd.  `start` and `end` are the printed offsets of
 * the bounds; NULL where the bound has no offset, or the offset is not known, which prints as "offset".
 */
extern char *frame_text(int options, const char *start, const char *end);

#endif /* SCAN_NODE_FRAME_TEXT_H */
