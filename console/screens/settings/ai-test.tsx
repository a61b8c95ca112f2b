// A test of the AI agent: what came of it, and what it is. Those that come with Foyer can't be changed.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { type OwnTest, type TestDetails, testTitle, useAiTest, useAiTests } from '../../state/ai-tests.ts'
import type { ApiError } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Form } from '../../ui/form.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { AiTestFields } from './ai-test-form.tsx'
import { AiTestResults } from './ai-test-result.tsx'
import { RunTests } from './ai-test-run.tsx'
import { BackLink } from './back-link.tsx'

const ROUTE = '/signed/settings/ai-agent/tests/$testId'

const NEW: OwnTest = {
  name: '',
  channel: 'web',
  contact: {},
  turns: [{ customer: [''] }],
  expect: { has: 'ai' },
}

export const AiTest = () => {
  const { testId } = useParams({ from: ROUTE })
  const { turn } = useSearch({ from: ROUTE })
  if (testId !== 'new') return <Stored key={testId} testId={testId} />
  return turn === undefined ? <Page key="new" scenario={NEW} /> : <Kept key={turn} turnId={turn} />
}

/** What a turn proposes; nothing is stored until it is saved. */
const Kept = ({ turnId }: { turnId: string }) => {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.aiTurn(api.workspaceId, turnId), 'test'],
    queryFn: ({ signal }) => api.get<{ scenario: OwnTest }>(`/ai-turns/${turnId}/test`, {}, signal),
  })
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  return data ? <Page scenario={data.scenario} turnId={turnId} /> : <Skeleton lines={6} />
}

const Stored = ({ testId }: { testId: string }) => {
  const list = useAiTests()
  const run = list.data?.run
  const { data, error, refetch } = useAiTest(testId, `${run?.id} ${run?.state} ${run?.done}`)
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  const results = (
    <>
      {list.data && <RunTests list={list.data} testId={testId} />}
      <AiTestResults details={data} />
    </>
  )
  const { own } = data.test
  return own ? (
    <Page testId={testId} scenario={own}>
      {results}
    </Page>
  ) : (
    <Shipped details={data}>{results}</Shipped>
  )
}

const Shipped = ({ details: { test }, children }: { details: TestDetails; children: React.ReactNode }) => (
  <SidePage
    title={testTitle(test.name)}
    back={<BackLink to="aiTests" />}
    about={t`Comes with Foyer, and brings its own articles and answers.`}
  >
    {children}
    <Section title={t`Customer`}>
      {test.customer.map((text, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same message can come twice
        <blockquote key={at} className="ai-quote user-text">
          <bdi>{text}</bdi>
        </blockquote>
      ))}
    </Section>
  </SidePage>
)

const Page = ({
  testId,
  turnId,
  scenario,
  children,
}: {
  /** Without one, it isn’t stored yet. */
  testId?: string
  turnId?: string
  scenario: OwnTest
  children?: React.ReactNode
}) => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(scenario)
  const [isDeleting, setDeleting] = useState(false)
  const changed = () => client.invalidateQueries({ queryKey: keys.aiTests(api.workspaceId) })
  const save = useMutation<{ test: { id: string; scenario: OwnTest } }, ApiError>({
    mutationFn: () =>
      testId === undefined
        ? api.post('/ai-tests', { scenario: draft, ...(turnId !== undefined && { turnId }) })
        : api.put(`/ai-tests/${testId}`, { scenario: draft }),
    onSuccess: async ({ test }) => {
      toast(testId === undefined ? t`Test created` : t`Saved`)
      setDraft(test.scenario)
      if (testId === undefined)
        await navigate({
          to: '/settings/ai-agent/tests/$testId',
          params: { testId: test.id },
          search: {},
          replace: true,
        })
      await changed()
    },
  })
  return (
    <SidePage
      title={testId === undefined ? t`New test` : <bdi>{scenario.name}</bdi>}
      back={<BackLink to="aiTests" />}
      actions={
        testId !== undefined && (
          <Button icon={Trash2} onClick={() => setDeleting(true)}>
            {t`Delete`}
          </Button>
        )
      }
    >
      {children}
      {turnId !== undefined && (
        <Banner>
          {t`Names, addresses and numbers of the customer were replaced as far as they were found. Check the messages before you save.`}
        </Banner>
      )}
      <Form error={save.error} onSubmit={() => save.mutate()}>
        <AiTestFields draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
        <div className="row">
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            {testId === undefined ? t`Create test` : t`Save`}
          </Button>
        </div>
      </Form>
      <Suspense>
        {isDeleting && testId !== undefined && (
          <DeleteDialog
            what={t`test`}
            name={scenario.name}
            onClose={() => setDeleting(false)}
            onDelete={async () => {
              await api.delete(`/ai-tests/${testId}`)
              await navigate({ to: '/settings/ai-agent/tests' })
              await changed()
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}
