// Publishes the draft: what keeps it from going live, what to accept, which tests fail, and a note for the history.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import { listSteps } from '../../../flow-engine/definition-index.ts'
import type { Problem } from '../../../flow-engine/problems.ts'
import { type FlowDetails, type FlowReview, flowsChanged } from '../../state/flows.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, FormProblem, TextField } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { Backtest } from './backtest.tsx'
import { stepWords } from './definition/step-words.ts'
import { blockTitle } from './definition/words.ts'
import { useEditor } from './editor-context.tsx'
import type { FlowDraftStore } from './use-draft.ts'
import { type Problems, problemWords } from './use-problems.ts'

const PublishDialog = ({
  flow,
  store,
  problems,
  onShow,
  onClose,
}: {
  flow: FlowDetails
  store: FlowDraftStore
  /** What the browser found so far; the server has the last word. */
  problems: Problems
  onShow: (row: string) => void
  onClose: () => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const id = useId()
  const [note, setNote] = useState('')
  const [isAccepted, setAccepted] = useState(false)
  const missing = problems.all.some(({ severity }) => severity === 'error')
  const check = useQuery({
    queryKey: ['w', api.workspaceId, 'flow-check', flow.id, store.get().revision],
    queryFn: async () => {
      await store.flush()
      return api.post<FlowReview>(`/flows/${flow.id}/check`)
    },
    gcTime: 0,
    staleTime: 0,
    enabled: !missing,
  })
  const publish = useMutation({
    mutationFn: async () => {
      await store.flush()
      return api.post(`/flows/${flow.id}/publish`, {
        revision: store.get().revision,
        ...(note.trim() && { note: note.trim() }),
        acceptWarnings: isAccepted,
      })
    },
    onSuccess: async () => {
      await flowsChanged(client, api.workspaceId)
      toast(t`${flow.name} is live`)
      onClose()
    },
  })
  const found = missing ? problems.all : (check.data?.problems ?? [])
  const errors = found.filter(({ severity }) => severity === 'error')
  const warnings = found.filter(({ severity }) => severity === 'warning')
  const failed = check.data?.failures ?? []
  const isLoading = !missing && check.isPending
  const needsConsent = warnings.length > 0 || failed.length > 0
  const mayPublish = !isLoading && errors.length === 0 && !check.error && (!needsConsent || isAccepted)
  const show = (row: string): void => {
    onClose()
    onShow(row)
  }
  return (
    <Dialog
      title={t`Publish “${flow.name}”?`}
      about={t`The draft becomes a new version. Runs that are under way finish on theirs.`}
      isOpen
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" form={id} variant="primary" isBusy={publish.isPending} disabled={!mayPublish}>
            {t`Publish`}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="stack stack--fields"
        onSubmit={(event) => {
          event.preventDefault()
          if (mayPublish && !publish.isPending) publish.mutate()
        }}
      >
        {isLoading && <Skeleton lines={3} label={t`Checking the flow`} />}
        <FormProblem error={check.error ?? publish.error} />
        {errors.length > 0 && (
          <Findings title={t`Fix these before you publish`} icon="error" problems={errors} onShow={show} />
        )}
        {errors.length === 0 && warnings.length > 0 && (
          <Findings title={t`Consider these`} icon="warning" problems={warnings} onShow={show} />
        )}
        {errors.length === 0 && failed.length > 0 && (
          <section className="stack stack--tight" aria-label={t`Failing tests`}>
            <h3 className="field__label">{t`Failing tests`}</h3>
            <ul className="flow-problems">
              {failed.map(({ testId, name, turn, message }) => (
                <li key={`${testId} ${turn}`} className="flow-problems__one flow-problems__one--error">
                  <CircleAlert size={14} aria-hidden />
                  <span>
                    <bdi>{name}</bdi>
                    <span className="text-soft">
                      {turn === null ? '' : t`, turn ${turn + 1}`}: {message}
                    </span>
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )}
        {!isLoading && errors.length === 0 && !needsConsent && !check.error && (
          <p className="row">
            <CircleCheck size={16} aria-hidden /> {t`No problems found.`}
          </p>
        )}
        {errors.length === 0 && needsConsent && (
          <Checkbox
            label={t`Publish it all the same`}
            checked={isAccepted}
            onChange={({ target }) => setAccepted(target.checked)}
          />
        )}
        {errors.length === 0 && (
          <TextField
            label={t`What changed`}
            placeholder={t`Optional`}
            maxLength={500}
            value={note}
            onChange={({ target }) => setNote(target.value)}
            autoFocus
          />
        )}
        {check.data && errors.length === 0 && <Backtest flowId={flow.id} store={store} />}
      </form>
    </Dialog>
  )
}
export default PublishDialog

const Findings = ({
  title,
  icon,
  problems,
  onShow,
}: {
  title: string
  icon: 'error' | 'warning'
  problems: Problem[]
  onShow: (row: string) => void
}) => {
  const { definition, names } = useEditor()
  const Icon = icon === 'error' ? CircleAlert : TriangleAlert
  const placeOf = ({ stepId, block }: Problem): { row: string; words: string } => {
    const placed = listSteps(definition).find(({ step }) => step.id === stepId)
    if (placed) return { row: t`step ${placed.step.id}`, words: stepWords(placed.step, definition, names) }
    return block === null
      ? { row: 'flow', words: t`The flow` }
      : { row: t`block ${block}`, words: blockTitle(definition, block) }
  }
  return (
    <section className="stack stack--tight" aria-label={title}>
      <h3 className="field__label">{title}</h3>
      <ul className="flow-problems">
        {problems.map((problem, at) => {
          const { row, words } = placeOf(problem)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same problem can come twice
            <li key={at} className={`flow-problems__one flow-problems__one--${icon}`}>
              <Icon size={14} aria-hidden />
              <span>
                <button type="button" className="flow-exits__link" onClick={() => onShow(row)}>
                  {words}
                </button>{' '}
                {problemWords(problem)}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
