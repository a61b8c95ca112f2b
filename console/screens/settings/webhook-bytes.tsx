import type { WebhookAttempt } from '../../state/webhooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { rich, t } from '../../words/t.ts'

/** Bytes as they were sent or received. */
export const Bytes = ({ label, children }: { label: string; children: string }) => (
  <div className="field">
    <span className="field__label">{label}</span>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys need it focused */}
    <section className="response" tabIndex={0} aria-label={label}>
      <pre className="user-text">{children}</pre>
    </section>
  </div>
)

/** What a receiver responded, or why it didn't. */
export const AttemptResult = ({ attempt }: { attempt: WebhookAttempt }) => {
  const { status, error, durationMs, responseHeaders, responseBody } = attempt
  const headers = Object.entries(responseHeaders ?? {})
  return (
    <>
      <div className="row row--wrap">
        <Badge tone={error ? 'danger' : 'ok'}>{error ? t`Failed` : t`Delivered`}</Badge>
        <span className="text-soft">
          {rich`${status === null ? t`No response` : t`Status ${status}`} · ${durationMs} ms`}
        </span>
      </div>
      {error && <p className="user-text">{error.message}</p>}
      {headers.length > 0 && (
        <Bytes label={t`Response headers`}>
          {headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        </Bytes>
      )}
      {responseBody && <Bytes label={t`Response`}>{responseBody}</Bytes>}
    </>
  )
}
