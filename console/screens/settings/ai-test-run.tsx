// Runs tests of the AI agent, and shows how far a run is.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Play, X } from 'lucide-react'
import { useState } from 'react'
import type { RunBody, TestList, TestRun } from '../../state/ai-tests.ts'
import { fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Progress } from '../../ui/progress.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

const AGAINST = {
  live: { guidance: ['live'], label: t`What is live` },
  draft: { guidance: ['draft'], label: t`The draft` },
  both: { guidance: ['live', 'draft'], label: t`Both, to compare` },
} satisfies Record<string, { guidance: RunBody['guidance']; label: string }>
type Against = keyof typeof AGAINST

/** `testId`: only that one. */
export const RunTests = ({ list, testId }: { list: TestList; testId?: string }) => {
  const api = useApi()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<Against | null>(null)
  const against = chosen ?? (list.hasDraft ? 'both' : 'live')
  const changed = () => client.invalidateQueries({ queryKey: keys.aiTests(api.workspaceId) })
  const start = useMutation({
    mutationFn: () =>
      api.post('/ai-test-runs', {
        guidance: AGAINST[against].guidance,
        ...(testId !== undefined && { testIds: [testId] }),
      }),
    onSettled: changed,
    onError: toastError,
  })
  const cancel = useMutation({
    mutationFn: (id: string) => api.post(`/ai-test-runs/${id}/cancel`),
    onSettled: changed,
    onError: toastError,
  })
  const { run } = list
  const isRunning = run?.state === 'running'
  return (
    <Section
      title={t`Run`}
      about={
        list.hasModel
          ? t`Nothing is sent to customers. The model’s tokens count towards your budget, and customers come first.`
          : t`Nothing is sent to customers. Tests that need a model are skipped without one.`
      }
    >
      <div className="row row--wrap">
        {list.hasDraft && (
          <Select
            label={t`Instructions`}
            isLabelHidden
            value={against}
            options={Object.entries(AGAINST).map(([value, { label }]) => ({ value, label }))}
            onChange={({ target }) => setChosen(target.value as Against)}
          />
        )}
        {isRunning ? (
          <Button icon={X} isBusy={cancel.isPending} onClick={() => cancel.mutate(run.id)}>
            {t`Cancel run`}
          </Button>
        ) : (
          <Button
            icon={Play}
            variant="primary"
            isBusy={start.isPending}
            disabled={list.tests.length === 0}
            onClick={() => start.mutate()}
          >
            {testId === undefined ? t`Run all` : t`Run this test`}
          </Button>
        )}
      </div>
      {run && <RunState run={run} />}
    </Section>
  )
}

const RunState = ({ run }: { run: TestRun }) => {
  const counts = t`${run.passed} passed, ${run.failed} failed, ${run.skipped} not tried`
  return (
    <div className="stack stack--tight">
      {run.state === 'running' && (
        <Progress
          label={t`Tests`}
          total={run.total}
          parts={[
            { tone: 'ok', value: run.passed, label: 'passed' },
            { tone: 'danger', value: run.failed, label: 'failed' },
            { tone: 'plain', value: run.skipped, label: t`not tried` },
          ]}
          text={t`${run.done} of ${run.total}`}
        />
      )}
      <p className="text-soft text-small" role="status">
        {run.state === 'running'
          ? t`Running: ${run.done} of ${run.total}`
          : run.state === 'cancelled'
            ? t`Cancelled after ${run.done} of ${run.total}`
            : t`Last run: ${counts}`}
        {' · '}
        {run.startedBy.name}, {fullMoment(run.startedAt)}
      </p>
    </div>
  )
}
