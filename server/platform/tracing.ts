// Traces, as far as the program knows of them: spans around requests, jobs and calls to providers. Without a tracer, which
// is the default, each is a function call; process/open-tracing.ts installs one of OpenTelemetry. Attributes are ids,
// names of ours and numbers, never what customers wrote, addresses or secrets.

export type SpanOptions = {
  kind: 'server' | 'consumer' | 'client' | 'internal'
  /** The trace that this continues, as it was queued. Otherwise requests and jobs begin one. */
  parent?: string | null
  attributes?: Readonly<Record<string, string | number>>
}

/** Ended by whoever has it. */
export type OpenSpan = {
  set: (attributes: Readonly<Record<string, string | number>>) => void
  /** `code`: what kind of failure, not what it says. */
  fail: (code: string) => void
  end: () => void
  /** Runs something inside of it. */
  within: <T>(work: () => T) => T
}

export type Tracer = {
  start: (name: string, options: SpanOptions) => OpenSpan
  /** The current span as a W3C traceparent; null outside of one. */
  current: () => string | null
  /** Runs something inside of a span that was current elsewhere. */
  within: <T>(traceparent: string, work: () => T) => T
}

let tracer: Tracer | null = null

/** Null turns traces off again. */
export const installTracer = (installed: Tracer | null): void => {
  tracer = installed
}

/** To be asked once at the start: whether to add hooks at all. */
export const isTracing = (): boolean => tracer !== null

/** Only while traces are on. */
export const startSpan = (name: string, options: SpanOptions): OpenSpan => tracer!.start(name, options)

/** To be stored with what is queued; null while traces are off. */
export const traceparent = (): string | null => tracer?.current() ?? null

/** Runs `work` as a part of a stored trace, if there is one, without a span of its own. */
export const inTrace = <T>(stored: string | null, work: () => T): T =>
  tracer && stored !== null ? tracer.within(stored, work) : work()

/** An error is reported by its code or its class. */
const codeOf = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}

type SpanWork<T> = (span: Pick<OpenSpan, 'set' | 'fail'>) => Promise<T>

const NO_SPAN = { set: () => {}, fail: () => {} }

/** Runs `work` in a span that ends with it, and fails if it throws. */
export const inSpan = async <T>(name: string, options: SpanOptions, work: SpanWork<T>): Promise<T> => {
  if (!tracer) return work(NO_SPAN)
  const span = tracer.start(name, options)
  try {
    return await span.within(() => work(span))
  } catch (error) {
    span.fail(codeOf(error))
    throw error
  } finally {
    span.end()
  }
}
