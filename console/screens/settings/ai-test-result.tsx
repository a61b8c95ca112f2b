// What was expected of a test and what happened, with what is live and with the draft, side by side.
import type { TestDetails, TestResult } from '../../state/ai-tests.ts'
import { fullMoment } from '../../state/dates.ts'
import { CheckList } from '../../ui/check-list.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { TestState } from './ai-test-state.tsx'

export const AiTestResults = ({ details: { live, draft } }: { details: TestDetails }) =>
  live || draft ? (
    <Section title={t`Results`}>
      <div className="grid-2">
        {live && <Side title={t`Live`} latest={live} />}
        {draft && <Side title={t`Draft`} latest={draft} />}
      </div>
    </Section>
  ) : null

const Side = ({ title, latest }: { title: string; latest: TestResult }) => (
  <section className="stack stack--tight" aria-label={title}>
    <TestState
      test={{
        live: title === 'Live' ? latest : null,
        draft: title === 'Draft' ? latest : null,
        change: null,
      }}
    />
    {latest.skipped === null ? (
      <CheckList
        checks={latest.checks.map(({ expected, happened, isMet }) => ({
          name: expected,
          ok: isMet,
          message: isMet ? (happened === expected ? '' : happened) : t`Instead: ${happened}`,
        }))}
      />
    ) : (
      <CheckList checks={[{ name: t`Not tried`, ok: null, message: becauseOf(latest.skipped) }]} />
    )}
    {latest.said.length > 0 && (
      <div className="stack stack--tight">
        <h3 className="field__label">{t`What the customer would get`}</h3>
        {latest.said.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same message can come twice
          <blockquote key={at} className="ai-quote user-text">
            <bdi>{text}</bdi>
          </blockquote>
        ))}
      </div>
    )}
    <p className="text-soft text-small">
      {[
        ...(latest.version === null ? [] : [t`Instructions version ${latest.version}`]),
        latest.model ?? t`No model`,
        fullMoment(latest.at),
        ...(latest.isCurrent ? [] : [t`The test, the instructions or the model have changed since`]),
      ].join(' · ')}
    </p>
  </section>
)

/** As a sentence: “Needs a model.” */
const becauseOf = (skipped: string): string => `${skipped[0]?.toUpperCase() ?? ''}${skipped.slice(1)}.`
