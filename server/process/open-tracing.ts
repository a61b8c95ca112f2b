// OpenTelemetry: spans to a collector by OTLP over HTTP. Its packages are loaded only if OTEL_EXPORTER_OTLP_ENDPOINT or
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, and read all other OTEL_ variables themselves.
import type { Context, Span, SpanContext } from '@opentelemetry/api'
import { installTracer, type OpenSpan, type SpanOptions, type Tracer } from '../platform/tracing.ts'
import { VERSION } from '../platform/version.ts'
import { within } from '../platform/within.ts'
import type { Log } from './log.ts'

/** The last spans are sent then, if the collector takes them. */
const FLUSH_MAX_MS = 3_000
const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Starts sending spans. Returns how to stop. */
export const openTracing = async (log: Log): Promise<() => Promise<void>> => {
  const [api, { BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, contexts, resources] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/resources'),
    ])
  // Without this, a collector that is down goes unnoticed.
  api.diag.setLogger(
    {
      error: (message) => log.warn({ message: String(message) }, 'traces could not be sent'),
      warn: (message) => log.debug({ message: String(message) }, 'traces'),
      info: () => {},
      debug: () => {},
      verbose: () => {},
    },
    api.DiagLogLevel.WARN,
  )
  const manager = new contexts.AsyncLocalStorageContextManager().enable()
  api.context.setGlobalContextManager(manager)
  // The environment's goes before ours.
  const ours = resources.resourceFromAttributes({ 'service.name': 'foyer', 'service.version': VERSION })
  const theirs = resources.detectResources({
    detectors: [resources.envDetector, resources.serviceInstanceIdDetector],
  })
  const provider = new BasicTracerProvider({
    resource: resources.defaultResource().merge(ours).merge(theirs),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  installTracer(makeTracer(api, provider.getTracer('foyer', VERSION)))
  return async () => {
    installTracer(null)
    // Spans are not worth a longer stop.
    await within(
      provider.shutdown().catch(() => {}),
      FLUSH_MAX_MS,
    )
    manager.disable()
    api.context.disable()
    api.diag.disable()
  }
}

type Api = typeof import('@opentelemetry/api')

const makeTracer = (api: Api, tracer: ReturnType<Api['trace']['getTracer']>): Tracer => {
  const kinds = {
    server: api.SpanKind.SERVER,
    consumer: api.SpanKind.CONSUMER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  }
  const contextOf = ({ kind, parent }: SpanOptions): Context => {
    const spanContext = parent ? readParent(parent) : undefined
    if (spanContext) return api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext)
    // Whatever happened to run when a request or a job came in has nothing to do with it.
    return kind === 'server' || kind === 'consumer' ? api.ROOT_CONTEXT : api.context.active()
  }
  const open = (span: Span, context: Context): OpenSpan => ({
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: (code) => {
      span.setAttribute('error.type', code)
      span.setStatus({ code: api.SpanStatusCode.ERROR })
    },
    end: () => span.end(),
    within: (work) => api.context.with(context, work),
  })
  return {
    start: (name, options) => {
      const { kind, attributes } = options
      const around = contextOf(options)
      const span = tracer.startSpan(name, { kind: kinds[kind], ...(attributes && { attributes }) }, around)
      return open(span, api.trace.setSpan(around, span))
    },
    current: () => {
      const spanContext = api.trace.getSpanContext(api.context.active())
      return spanContext ? showParent(spanContext) : null
    },
    within: (traceparent, work) => {
      const spanContext = readParent(traceparent)
      return spanContext
        ? api.context.with(api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext), work)
        : work()
    },
  }
}

const showParent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`

/** A stored one, so only what we have written. */
const readParent = (text: string): SpanContext | undefined => {
  const [, traceId, spanId, flags] = PARENT.exec(text) ?? []
  return traceId && spanId && flags
    ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
    : undefined
}
