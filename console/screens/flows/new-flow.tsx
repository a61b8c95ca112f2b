// A new flow: from a template, or empty under a name.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LayoutTemplate, SquarePen } from 'lucide-react'
import { lazy, Suspense, useId, useState } from 'react'
import { saveTest } from '../../state/flow-tests.ts'
import { flowsChanged } from '../../state/flows.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ChoiceCards } from '../../ui/choice-cards.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { emptyDefinition } from './definition/step-types.ts'
import { freeName } from './exchange.ts'
import type { ChosenTemplate } from './templates/gallery.tsx'

const TemplateGallery = lazy(() => import('./templates/gallery.tsx'))

type Start = 'template' | 'empty'

const ownLanguage = (): string => navigator.language.slice(0, 2).toLowerCase()

const NewFlow = ({ onClose }: { onClose: () => void }) => {
  const [start, setStart] = useState<Start>('template')
  const choice = (
    <ChoiceCards<Start>
      label={t`Start with`}
      autoFocus
      value={start}
      onChange={setStart}
      choices={[
        {
          value: 'template',
          label: t`A template`,
          about: t`Ready to use, in five languages`,
          icon: LayoutTemplate,
        },
        { value: 'empty', label: t`An empty flow`, about: t`Build it step by step`, icon: SquarePen },
      ]}
    />
  )
  const create = useCreate()
  const id = useId()
  const save = useMutation({
    mutationFn: (name: string) => create({ name, definition: emptyDefinition(ownLanguage()) }),
  })
  const isEmpty = start === 'empty'
  // One dialog for both, so that the focus stays inside when the choice changes.
  return (
    <Dialog
      title={t`New flow`}
      isOpen
      isWide={!isEmpty}
      onClose={onClose}
      foot={
        isEmpty && (
          <>
            <Button onClick={onClose}>{t`Cancel`}</Button>
            <Button type="submit" form={id} variant="primary" isBusy={save.isPending}>
              {t`Create flow`}
            </Button>
          </>
        )
      }
    >
      <div className="stack stack--fields">
        {choice}
        {isEmpty ? (
          <Form id={id} error={save.error} onSubmit={({ name = '' }) => save.mutate(name)}>
            <TextField
              label={t`Name`}
              name="name"
              placeholder={t`e.g. Where is my order`}
              maxLength={80}
              autoFocus
            />
          </Form>
        ) : (
          <Suspense fallback={<Spinner isLarge />}>
            <TemplateGallery onChoose={create} />
          </Suspense>
        )}
      </div>
    </Dialog>
  )
}

/** Creates the flow with its tests, and opens it. */
const useCreate = () => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  return async ({ name, definition, tests }: Omit<ChosenTemplate, 'tests'> & Partial<ChosenTemplate>) => {
    const { flow } = await api.post<{ flow: { id: string } }>('/flows', {
      name: tests ? await freeName(client, api, name) : name,
      definition,
    })
    for (const scenario of tests ?? []) await saveTest(api, flow.id, scenario)
    void flowsChanged(client, api.workspaceId)
    await navigate({ to: '/flows/$flowId', params: { flowId: flow.id } })
  }
}

export default NewFlow
