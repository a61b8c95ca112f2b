import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, FileText } from 'lucide-react'
import { useId, useMemo, useRef, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { refreshConversation } from '../../state/conversations.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { fillTemplate, parameterLabels, problemOfValue } from '../../state/template-text.ts'
import { putMessage } from '../../state/timeline.ts'
import type { ConversationDetails, Message, RichTemplate } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { FieldProblems, FormProblem, Select, TextField } from '../../ui/field.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { TemplateBubble } from '../../ui/template-bubble.tsx'

type Props = { details: ConversationDetails; onClose: () => void }

const SEND_KEY = ['send template']

/**
 * Chooses an approved template, fills it in with a preview beside, and sends it in this conversation. One dialog for
 * both steps: a second one would lose the focus to what the first gives it back to.
 */
const TemplatePicker = ({ details, onClose }: Props) => {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: keys.templates(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ templates: RichTemplate[] }>('/templates', {}, signal),
  })
  const [name, setName] = useState<string | null>(null)
  const account = details.conversation.channelAccountId ?? details.channelAccount?.id
  const usable = useMemo(
    () =>
      (data?.templates ?? []).filter(
        ({ isSendable, sendingNumbers }) =>
          isSendable && (!account || sendingNumbers.some(({ id }) => id === account)),
      ),
    [data, account],
  )
  const versions = usable.filter((template) => template.name === name)
  const names = useMemo(() => {
    const first = new Map<string, RichTemplate[]>()
    for (const template of usable) first.set(template.name, [...(first.get(template.name) ?? []), template])
    return [...first.values()]
  }, [usable])

  const formId = useId()
  const isSending = useIsMutating({ mutationKey: SEND_KEY }) > 0
  const isFilling = versions.length > 0

  return (
    <Dialog
      title={versions[0]?.name ?? 'Send a template'}
      isOpen
      onClose={onClose}
      isWide
      foot={
        isFilling && (
          <>
            <Button variant="ghost" icon={ArrowLeft} onClick={() => setName(null)}>
              Another template
            </Button>
            <Button
              variant="primary"
              type="submit"
              form={formId}
              isBusy={isSending}
              autoFocus={!hasFields(versions[0]!)}
            >
              Send
            </Button>
          </>
        )
      }
    >
      {isFilling ? (
        <Fill formId={formId} versions={versions} details={details} onClose={onClose} />
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={5} />
      ) : names.length === 0 ? (
        <EmptyState
          icon={FileText}
          title="No approved templates"
          action={<ButtonLink to="/templates">See the templates</ButtonLink>}
        >
          Templates are made and approved in the WhatsApp Manager. Approved ones appear here by themselves.
        </EmptyState>
      ) : (
        <Picker
          isWide
          label="Templates"
          placeholder="Search by name or text…"
          items={names.map((group) => ({
            id: group[0]!.name,
            text: `${group[0]!.name} ${group[0]!.bodyText}`,
            content: (
              <span className="template-option">
                <span className="row">
                  <span className="text-strong truncate">{group[0]!.name}</span>
                  <Badge>{group[0]!.category.toLowerCase()}</Badge>
                  <span className="text-soft text-small push">
                    {group.map(({ language }) => language).join(', ')}
                  </span>
                </span>
                <bdi className="text-soft text-small truncate">{exampleOf(group[0]!)}</bdi>
              </span>
            ),
          }))}
          onPick={setName}
        />
      )}
    </Dialog>
  )
}
export default TemplatePicker

/** As it reads with its own examples. */
const exampleOf = (template: RichTemplate): string =>
  fillTemplate(template, template.exampleValues)
    .body.map(({ text }) => text)
    .join('')

const hasFields = (template: RichTemplate): boolean =>
  template.headerFormat === 'IMAGE' || parameterLabels(template).length > 0

const Fill = ({
  formId,
  versions,
  details,
  onClose,
}: {
  formId: string
  versions: RichTemplate[]
  details: ConversationDetails
  onClose: () => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const own = navigator.language.slice(0, 2)
  const [language, setLanguage] = useState(
    () => (versions.find((version) => version.language.startsWith(own)) ?? versions[0]!).language,
  )
  const template = versions.find((version) => version.language === language) ?? versions[0]!
  const labels = parameterLabels(template)
  const [values, setValues] = useState<string[]>([])
  const [image, setImage] = useState('')
  const [isTried, setTried] = useState(false)
  const key = useRef(crypto.randomUUID?.() ?? String(Math.random()))
  const needsImage = template.headerFormat === 'IMAGE'
  const given = labels.map((_, index) => values[index] ?? '')
  const problems = given.map(problemOfValue)

  const send = useMutation({
    mutationKey: SEND_KEY,
    mutationFn: () =>
      api.post<{ message: Message }>(
        `/conversations/${details.conversation.id}/template`,
        {
          templateName: template.name,
          language: template.language,
          parameters: given,
          ...(needsImage && image.trim() ? { headerImageUrl: image.trim() } : {}),
        },
        { idempotencyKey: key.current },
      ),
    onSuccess: ({ message }) => {
      putMessage(client, api.workspaceId, message)
      refreshConversation(client, api.workspaceId, details.conversation.id)
      onClose()
    },
    onError: (error) => {
      // Another body needs another key; an answer that never came keeps its own.
      if ((error as ApiError).status >= 400 && (error as ApiError).status < 500)
        key.current = crypto.randomUUID?.() ?? String(Math.random())
    },
  })
  const submit = (): void => {
    setTried(true)
    if (problems.every((problem) => problem === null)) send.mutate()
  }

  return (
    <div className="grid-2">
      <form
        id={formId}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <FieldProblems details={(send.error as ApiError | null)?.details}>
          <FormProblem error={send.error} fields={['headerImageUrl', 'parameters']} />
          {versions.length > 1 && (
            <Select
              label="Language"
              value={language}
              options={versions.map((version) => ({ value: version.language, label: version.language }))}
              onChange={(event) => setLanguage(event.target.value)}
            />
          )}
          {needsImage && (
            <TextField
              label="Picture for the header"
              name="headerImageUrl"
              type="url"
              autoFocus={labels.length === 0}
              dir="ltr"
              placeholder="https://…"
              hint="A public address. Left empty, the template’s own picture is used where it has one."
              value={image}
              onChange={(event) => setImage(event.target.value)}
            />
          )}
          {labels.map((label, index) => (
            <TextField
              key={label}
              label={label}
              name={`parameters[${index}]`}
              maxLength={1024}
              autoFocus={index === 0}
              placeholder={template.exampleValues[index]}
              value={given[index]}
              problem={isTried ? (problems[index] ?? undefined) : undefined}
              onChange={(event) =>
                setValues(labels.map((_, at) => (at === index ? event.target.value : (given[at] ?? ''))))
              }
            />
          ))}
          {!hasFields(template) && <p className="text-soft">Nothing to fill in.</p>}
        </FieldProblems>
      </form>
      <TemplateBubble template={template} values={given} image={image} />
    </div>
  )
}
