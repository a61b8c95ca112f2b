// The tests of the AI agent: the workspace's own, and those that come with Foyer. What got worse is on top.
import { FlaskConical, Plus } from 'lucide-react'
import { type ListedTest, testTitle, useAiTests } from '../../state/ai-tests.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { RunTests } from './ai-test-run.tsx'
import { TestState } from './ai-test-state.tsx'
import { BackLink } from './back-link.tsx'

export const AiTests = () => {
  const { data, error, refetch } = useAiTests()
  return (
    <SidePage
      title={t`Tests`}
      back={<BackLink to="aiAgent" />}
      about={t`Questions that customers might ask, and what the agent should do. See what a change improves or breaks before you publish it.`}
      actions={
        <ButtonLink icon={Plus} to="/settings/ai-agent/tests/$testId" params={{ testId: 'new' }}>
          {t`New test`}
        </ButtonLink>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={6} />
      ) : (
        <>
          <RunTests list={data} />
          <Worse tests={data.tests} />
          <Own tests={data.tests.filter(({ isOwn }) => isOwn)} />
          <Shipped tests={data.tests.filter(({ isOwn }) => !isOwn)} />
        </>
      )}
    </SidePage>
  )
}

const Worse = ({ tests }: { tests: ListedTest[] }) => {
  const worse = tests.filter(({ change }) => change === 'worse')
  return (
    worse.length > 0 && (
      <Section
        title={t`Worse with the draft`}
        about={t`These pass with the instructions that are live, and fail with the draft.`}
      >
        <Rows label={t`Worse with the draft`} tests={worse} />
      </Section>
    )
  )
}

const Own = ({ tests }: { tests: ListedTest[] }) => (
  <Section title={t`Your tests`} about={t`Answered with your own articles and answers.`}>
    {tests.length > 0 ? (
      <Rows label={t`Your tests`} tests={tests} />
    ) : (
      <EmptyState icon={FlaskConical} title={t`No tests yet`}>
        {t`Open the details below a reply of the agent and select “Keep as test”, or create one here.`}
      </EmptyState>
    )}
  </Section>
)

const Shipped = ({ tests }: { tests: ListedTest[] }) => {
  const kinds = [...new Set(tests.map(({ kind }) => kind ?? ''))]
  return (
    <Section
      title={t`Tests that come with Foyer`}
      about={t`They come with their own articles and answers, and check that your model and instructions follow the rules.`}
    >
      {kinds.map((kind) => {
        const own = tests.filter((test) => test.kind === kind)
        return (
          <Disclosure
            key={kind}
            title={`${kindWords(kind)}: ${countWords(own)}`}
            isOpen={own.some(({ live, draft }) => hasFailed(live) || hasFailed(draft))}
          >
            <Rows label={kindWords(kind)} tests={own} />
          </Disclosure>
        )
      })}
    </Section>
  )
}

const hasFailed = (latest: ListedTest['live']): boolean => latest?.state === 'failed' && latest.isCurrent

const kindWords = (kind: string): string => testTitle(kind.replaceAll('-', ' '))

const countWords = (tests: ListedTest[]): string => {
  const failed = tests.filter(({ live, draft }) => hasFailed(live) || hasFailed(draft)).length
  const all = tests.length === 1 ? t`1 test` : t`${tests.length} tests`
  return failed === 0 ? all : t`${all}, ${failed} failed`
}

const RANKS = { worse: 0, failed: 1, rest: 2 } as const

const rankOf = ({ change, live, draft }: ListedTest): number =>
  change === 'worse' ? RANKS.worse : hasFailed(live) || hasFailed(draft) ? RANKS.failed : RANKS.rest

const Rows = ({ label, tests }: { label: string; tests: ListedTest[] }) => (
  <ItemList label={label}>
    {tests
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .map((test) => (
        <Item
          key={test.id}
          link={{ to: '/settings/ai-agent/tests/$testId', params: { testId: test.id } }}
          title={<bdi>{test.isOwn ? test.name : testTitle(test.name)}</bdi>}
          meta={<TestState test={test} />}
        />
      ))}
  </ItemList>
)
