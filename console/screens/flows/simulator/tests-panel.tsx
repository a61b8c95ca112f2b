// The tests of a flow: run in the browser against the draft, as publishing runs them on the server.
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleX, FlaskConical, Pencil, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Failure } from '../../../../flow-engine/run-scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { runTest } from '../../../../flow-engine/test-world.ts'
import { type FlowTest, removeTest, saveTest } from '../../../state/flow-tests.ts'
import { useApi } from '../../../state/session.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { DeleteDialog } from '../../../ui/delete-dialog.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { t } from '../../../words/t.ts'
import type { FlowResources } from '../use-resources.ts'
import { TurnList } from './turn-list.tsx'
import { failureWords } from './turn-words.ts'
import { useChecked } from './use-checked.ts'
import { useWorld } from './world.ts'

type Result = { test: FlowTest; failures: Failure[] }

export const TestsPanel = ({
  flowId,
  definition: draft,
  tests,
  resources,
  isReadOnly = false,
  onChange,
}: {
  flowId: string
  definition: FlowDefinition
  tests: readonly FlowTest[]
  resources: FlowResources
  isReadOnly?: boolean
  /** A test was renamed or deleted. */
  onChange: () => void
}) => {
  const [now] = useState(() => Date.now())
  const [renaming, setRenaming] = useState<FlowTest | null>(null)
  const [deleting, setDeleting] = useState<FlowTest | null>(null)
  const api = useApi()
  const { factsOf } = useWorld(resources, now)
  const { definition } = useChecked(draft)
  const results = useMemo(
    (): Result[] =>
      definition
        ? tests.map((test) => ({ test, failures: runTest(definition, test.scenario, factsOf(definition)) }))
        : [],
    [definition, tests, factsOf],
  )
  if (tests.length === 0)
    return (
      <EmptyState icon={FlaskConical} title={t`No tests yet`}>
        {t`Play the flow in the simulator, then choose “Keep as test”. Publishing runs all tests first.`}
      </EmptyState>
    )
  if (!definition)
    return (
      <EmptyState
        title={t`The tests can’t run yet`}
      >{t`Fix the flow’s errors in the outline first.`}</EmptyState>
    )
  const failed = results.filter(({ failures }) => failures.length > 0).length
  return (
    <section className="stack" aria-label={t`Tests`}>
      <p role="status" className={failed > 0 ? 'text-danger' : 'text-soft'}>
        {failed > 0 ? t`${failed} of ${tests.length} failed` : t`All ${tests.length} passed`}
      </p>
      <ul className="items" aria-label={t`Tests`}>
        {results.map((result) => (
          <TestItem
            key={result.test.id}
            {...result}
            definition={definition}
            isReadOnly={isReadOnly}
            onRename={() => setRenaming(result.test)}
            onDelete={() => setDeleting(result.test)}
          />
        ))}
      </ul>
      {renaming && (
        <RenameTest flowId={flowId} test={renaming} onDone={onChange} onClose={() => setRenaming(null)} />
      )}
      {deleting && (
        <DeleteDialog
          what={t`test`}
          name={deleting.name}
          about={t`It will no longer be run when you publish.`}
          onClose={() => setDeleting(null)}
          onDelete={() => removeTest(api, flowId, deleting.id).then(onChange)}
        />
      )}
    </section>
  )
}

const TestItem = ({
  test,
  failures,
  definition,
  isReadOnly,
  onRename,
  onDelete,
}: Result & {
  definition: FlowDefinition
  isReadOnly: boolean
  onRename: () => void
  onDelete: () => void
}) => {
  const hasPassed = failures.length === 0
  const { turns } = test.scenario
  return (
    <li className="simulator__test">
      <div className="row row--top">
        {hasPassed ? (
          <CircleCheck size={18} role="img" aria-label={t`Passed`} className="simulator__passed" />
        ) : (
          <CircleX size={18} role="img" aria-label={t`Failed`} className="text-danger" />
        )}
        <div className="grow stack">
          <bdi className="text-strong">{test.name}</bdi>
          {failures.map((failure) => (
            <p key={`${failure.turn} ${failure.message}`} className="text-small user-text">
              {failureWords(failure, turns, definition)}
            </p>
          ))}
          <Disclosure title={turns.length === 1 ? t`1 turn` : t`${turns.length} turns`}>
            <TurnList definition={definition} turns={turns} />
          </Disclosure>
        </div>
        {!isReadOnly && (
          <span className="row">
            <IconButton icon={Pencil} label={t`Rename ${test.name}`} onClick={onRename} />
            <IconButton icon={Trash2} label={t`Delete ${test.name}`} onClick={onDelete} />
          </span>
        )}
      </div>
    </li>
  )
}

const RenameTest = ({
  flowId,
  test,
  onDone,
  onClose,
}: {
  flowId: string
  test: FlowTest
  onDone: () => void
  onClose: () => void
}) => {
  const api = useApi()
  const rename = useMutation({
    mutationFn: (name: string) => saveTest(api, flowId, { ...test.scenario, name }, test.id),
    onSuccess: () => {
      onDone()
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Rename test`}
      save={rename}
      onClose={onClose}
      onSubmit={({ name = '' }) => rename.mutate(name)}
    >
      <TextField label={t`Name`} name="name" defaultValue={test.name} maxLength={120} required autoFocus />
    </FormDialog>
  )
}

export default TestsPanel
