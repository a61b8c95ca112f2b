// Everything that the Graph API accepted, in order, so tests can check that nothing is missing or duplicated.
import type { DeliveryStatus } from '../entry.ts'

export type Sent = {
  sequence: number
  id: string
  atMs: number
  phoneNumberId: string
  /** As given by the caller. */
  input: string
  waId: string | null
  userId: string | null
  type: string
  category: string
  templateName: string | null
  opaque: string | null
  status: DeliveryStatus
  errorCode: number | null
  /** The request body; only kept for the latest sends. */
  body: string | null
}

/** The oldest are dropped beyond this many; each takes about half a kilobyte without its body. */
const RECORD_MAX = 250_000
const BODIES_MAX = 5000
const DUPLICATES_MAX = 1000
const DUPLICATE_IDS_MAX = 20

export type SentRecord = ReturnType<typeof makeSentRecord>

export const makeSentRecord = () => {
  // A ring buffer: `start` is the sequence number of the oldest entry.
  let ring: Sent[] = []
  let total = 0
  let forgotten = 0
  let countByOpaque = new Map<string, number>()
  let idByKey = new Map<string, string>()
  let duplicates: { key: string; ids: string[] }[] = []
  let duplicatesTotal = 0
  let refusals: Record<string, number> = {}

  const at = (sequence: number): Sent | undefined => ring[(sequence - 1) % RECORD_MAX]

  return {
    add: (sent: Omit<Sent, 'sequence'>): Sent => {
      total++
      const added: Sent = { ...sent, sequence: total }
      const oldest = ring.length === RECORD_MAX ? at(total) : undefined
      if (oldest) {
        forgotten++
        if (oldest.opaque) {
          countByOpaque.delete(oldest.opaque)
          idByKey.delete(oldest.opaque)
        }
      }
      if (oldest) ring[(total - 1) % RECORD_MAX] = added
      else ring.push(added)
      const withBody = total > BODIES_MAX ? at(total - BODIES_MAX) : undefined
      if (withBody) withBody.body = null

      if (added.opaque) {
        const count = (countByOpaque.get(added.opaque) ?? 0) + 1
        countByOpaque.set(added.opaque, count)
        if (count === 1) idByKey.set(added.opaque, added.id)
        else {
          duplicatesTotal++
          const known = duplicates.find(({ key }) => key === added.opaque)
          if (known && known.ids.length < DUPLICATE_IDS_MAX) known.ids.push(added.id)
          else if (!known && duplicates.length < DUPLICATES_MAX)
            duplicates.push({ key: added.opaque, ids: [idByKey.get(added.opaque)!, added.id] })
        }
      }
      return added
    },
    countRefusal: (code: number): void => {
      refusals[code] = (refusals[code] ?? 0) + 1
    },
    /** Entries after a sequence number, oldest first. */
    list: ({ after = 0, limit = 1000, to, opaque }: ListInput = {}) => {
      const sent: Sent[] = []
      let sequence = Math.max(after + 1, total - ring.length + 1)
      for (; sequence <= total && sent.length < limit; sequence++) {
        const one = at(sequence)!
        if (to && one.waId !== to && one.userId !== to && one.input !== to) continue
        if (opaque && one.opaque !== opaque) continue
        sent.push(one)
      }
      return { sent, next: sequence <= total ? sequence - 1 : null }
    },
    /** The latest entries with these ids, searched from the end. */
    listByIds: (ids: ReadonlySet<string>): Sent[] => {
      const found: Sent[] = []
      const oldest = total - ring.length + 1
      for (let sequence = total; sequence >= oldest && found.length < ids.size; sequence--) {
        const one = at(sequence)!
        if (ids.has(one.id)) found.push(one)
      }
      return found.reverse()
    },
    totals: () => ({ total, kept: ring.length, forgotten, duplicates: duplicatesTotal, refusals }),
    duplicates: () => duplicates,
    clear: (): void => {
      ring = []
      total = 0
      forgotten = 0
      countByOpaque = new Map()
      idByKey = new Map()
      duplicates = []
      duplicatesTotal = 0
      refusals = {}
    },
  }
}

export type ListInput = { after?: number; limit?: number; to?: string; opaque?: string }
