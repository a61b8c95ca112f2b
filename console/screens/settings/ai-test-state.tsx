// How a test of the AI agent went, as badges.
import type { ListedTest } from '../../state/ai-tests.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { t } from '../../words/t.ts'

type Latest = ListedTest['live']

const WORDS = { passed: 'passed', failed: 'failed', skipped: t`not tried` } as const
const TONES: Record<keyof typeof WORDS, Tone> = { passed: 'ok', failed: 'danger', skipped: 'plain' }

/** What has changed since is no longer good or bad. */
const StateBadge = ({ side, latest }: { side: string; latest: NonNullable<Latest> }) => (
  <Badge tone={latest.isCurrent ? TONES[latest.state] : 'plain'}>
    {side}: {WORDS[latest.state]}
    {!latest.isCurrent && t`, outdated`}
  </Badge>
)

export const TestState = ({
  test: { live, draft, change },
}: {
  test: Pick<ListedTest, 'live' | 'draft' | 'change'>
}) => (
  <span className="row row--wrap">
    {change === 'worse' && <Badge tone="danger">{t`Worse`}</Badge>}
    {change === 'better' && <Badge tone="ok">{t`Better`}</Badge>}
    {live && <StateBadge side="Live" latest={live} />}
    {draft && <StateBadge side="Draft" latest={draft} />}
    {!live && !draft && <Badge>{t`Not run yet`}</Badge>}
  </span>
)
