// What an event is about, made to fit into an event of 20 kB, the size that Standard Webhooks advises.

/** As stored in the feed: no object of the API has that name. */
export type KeptObject = Record<string, unknown> & { objectTruncated?: boolean }

/** Leaves 2 kB for the event around it. */
const OBJECT_MAX_BYTES = 18_000

type Bounds = { textMax: number; listMax: number }

/** Each is tried if the one before was not enough: a long text loses its end before short ones do. */
const BOUNDS: readonly Bounds[] = [
  { textMax: 10_000, listMax: 1_000 },
  { textMax: 5_000, listMax: 1_000 },
  { textMax: 2_000, listMax: 100 },
  { textMax: 500, listMax: 50 },
  { textMax: 100, listMax: 20 },
]

/** Without the URLs of attachments, which are valid for a short time only. */
export const fitObject = (given: Record<string, unknown>): KeptObject => {
  const object = withoutUrls(given)
  const whole = JSON.stringify(object)
  for (const bounds of BOUNDS) {
    const fitting = cut(object, bounds) as Record<string, unknown>
    const text = JSON.stringify(fitting)
    if (Buffer.byteLength(text) <= OBJECT_MAX_BYTES)
      return { ...fitting, ...(text !== whole && { objectTruncated: true }) }
  }
  return { id: object.id, objectTruncated: true }
}

const withoutUrls = ({ attachments, ...rest }: Record<string, unknown>): Record<string, unknown> => ({
  ...rest,
  ...(Array.isArray(attachments) && {
    attachments: attachments.map(({ url: _, ...attachment }: Record<string, unknown>) => attachment),
  }),
})

const cut = (value: unknown, bounds: Bounds): unknown => {
  if (typeof value === 'string')
    return value.length <= bounds.textMax ? value : value.slice(0, bounds.textMax).toWellFormed()
  if (Array.isArray(value)) return value.slice(0, bounds.listMax).map((item) => cut(item, bounds))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, bounds)]))
}
