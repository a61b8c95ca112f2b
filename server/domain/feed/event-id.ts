// Ids of public events. Like every id they begin with the time; the counter's place and four digits of the random part
// have the event's number in its workspace, so that no index is needed to find one.
import { ID_PATTERN, newId } from '../../platform/db/id.ts'

const TIME_END = 9
const SEQ_LENGTH = 8
const SEQ_END = TIME_END + SEQ_LENGTH

export const makeEventId = (seq: number): string => {
  const id = newId()
  return id.slice(0, TIME_END) + seq.toString(36).padStart(SEQ_LENGTH, '0') + id.slice(SEQ_END)
}

/** Undefined for what can't be the id of an event. */
export const seqOfEventId = (id: string): number | undefined =>
  ID_PATTERN.test(id) ? Number.parseInt(id.slice(TIME_END, SEQ_END), 36) : undefined
