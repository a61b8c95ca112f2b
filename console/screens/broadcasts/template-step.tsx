import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, FileText } from 'lucide-react'
import { Fragment, type RefObject, useRef, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { useApi } from '../../state/session.tsx'
import { parameterLabels, problemOfValue } from '../../state/template-text.ts'
import { byName, categoryOf, languageName, preferredVersion, templatesQuery } from '../../state/templates.ts'
import type { RichTemplate } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { TemplateBubble } from '../../ui/template-bubble.tsx'
import { templateItem } from '../../ui/template-item.tsx'
import { rich, t } from '../../words/t.ts'
import { type Draft, isTemplateReady, problemsOfRows, sharedValues, usesShared, valuesFor } from './draft.ts'
import { fileKindOf } from './file-kinds.ts'
import { HeaderFile, useHeaderFile } from './header-file.tsx'
import { Personalize } from './personalize.tsx'
import { Step } from './step.tsx'
import { TestSend } from './test-send.tsx'
import { useFirstRecipient } from './use-first-recipient.ts'

const VALUE_MAX = 1024
const PROBLEMS_SHOWN_MAX = 8

type Props = {
  draft: Draft
  template: RichTemplate | undefined
  onChange: (change: Partial<Draft>) => void
  onBack: () => void
  onNext: () => void
}

export const TemplateStep = ({ draft, template, onChange, onBack, onNext }: Props) => {
  const api = useApi()
  const { data, error, refetch } = useQuery(templatesQuery(api))
  const [isTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const [isChoosing, setChoosing] = useState(draft.templateName === '')
  const sendable = byName(
    (data?.templates ?? []).filter(
      ({ isSendable, headerFormat }) =>
        isSendable && (headerFormat === null || headerFormat === 'TEXT' || fileKindOf(headerFormat)),
    ),
  )
  const isReady = isTemplateReady(draft, template)
  const next = (): void => {
    setTried(true)
    if (isReady) onNext()
    else requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }
  const showsChoice = isChoosing || !template
  return (
    <Step
      title={t`Choose a message`}
      about={t`Choose an approved template and fill in its values.`}
      nextLabel={t`Review recipients`}
      onBack={onBack}
      onNext={template ? next : undefined}
      hint={!template ? t`Choose a template.` : isTried && !isReady ? t`Complete the message first.` : null}
    >
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={6} label={t`Loading templates`} />
      ) : sendable.length === 0 ? (
        <EmptyState
          icon={FileText}
          title={t`No templates to send`}
          action={<ButtonLink to="/templates">{t`View templates`}</ButtonLink>}
        >
          {t`Create templates in WhatsApp Manager. Approved ones will appear here.`}
        </EmptyState>
      ) : showsChoice ? (
        <div className="picker-box picker-box--tall">
          <Picker
            isWide
            isSingle
            label={t`Templates`}
            placeholder={t`Search by name or text…`}
            selectedIds={new Set([draft.templateName])}
            items={sendable.map(templateItem)}
            onPick={(name) => {
              const { versions } = sendable.find((other) => other.name === name)!
              const isSame = draft.templateName === name
              onChange({
                templateName: name,
                ...(!isSame && {
                  language: preferredVersion(versions).language,
                  values: [],
                  fields: [],
                  headerFileId: '',
                }),
              })
              setTried(false)
              setChoosing(false)
            }}
          />
        </div>
      ) : (
        <Fill
          draft={draft}
          template={template}
          versions={sendable.find(({ name }) => name === template.name)?.versions ?? [template]}
          form={form}
          isTried={isTried}
          onChange={onChange}
          onAnother={() => setChoosing(true)}
          onSubmit={next}
        />
      )}
    </Step>
  )
}

const Fill = ({
  draft,
  template,
  versions,
  form,
  isTried,
  onChange,
  onAnother,
  onSubmit,
}: {
  draft: Draft
  template: RichTemplate
  versions: RichTemplate[]
  form: RefObject<HTMLFormElement | null>
  isTried: boolean
  onChange: (change: Partial<Draft>) => void
  onAnother: () => void
  onSubmit: () => void
}) => {
  const labels = parameterLabels(template)
  const values = sharedValues(draft, template)
  const rowProblems = problemsOfRows(draft, template)
  const ownCount =
    draft.way === 'recipients' ? draft.table.rows.filter(({ parameters }) => parameters).length : 0
  const takesValues = template.countParameters > 0
  const isShared = usesShared(draft)
  const fileKind = fileKindOf(template.headerFormat)
  return (
    <div className="split">
      <Section
        title={template.name}
        about={categoryOf(template.category)}
        actions={
          <Button size="small" onClick={onAnother}>
            {t`Choose another`}
          </Button>
        }
      >
        <form
          ref={form}
          className="stack stack--fields"
          onSubmit={(event) => {
            event.preventDefault()
            onSubmit()
          }}
        >
          {versions.length > 1 && (
            <Select
              label={t`Language`}
              value={template.language}
              options={versions.map(({ language }) => ({ value: language, label: languageName(language) }))}
              onChange={({ target }) => onChange({ language: target.value })}
            />
          )}
          {fileKind && <HeaderFile kind={fileKind} draft={draft} isMissing={isTried} onChange={onChange} />}
          {takesValues && ownCount > 0 && (
            <p className="text-soft">
              {ownCount === draft.table.rows.length
                ? t`Each row has its own values.`
                : t`${countOf(ownCount)} of ${countOf(draft.table.rows.length)} rows have their own values. The others use these:`}
            </p>
          )}
          {rowProblems.length > 0 && (
            <Banner tone="danger">
              <ul>
                {rowProblems.slice(0, PROBLEMS_SHOWN_MAX).map(({ line, message }) => (
                  <li key={line}>{rich`Line ${line}: ${message}.`}</li>
                ))}
                {rowProblems.length > PROBLEMS_SHOWN_MAX && (
                  <li>{rich`and ${countOf(rowProblems.length - PROBLEMS_SHOWN_MAX)} more lines`}</li>
                )}
              </ul>
            </Banner>
          )}
          {isShared &&
            labels.map((label, index) => (
              <Fragment key={label}>
                <TextField
                  label={label}
                  hint={
                    template.exampleValues[index]
                      ? rich`e.g. ${<bdi>{template.exampleValues[index]}</bdi>}`
                      : undefined
                  }
                  maxLength={VALUE_MAX}
                  autoComplete="off"
                  value={values[index]}
                  problem={isTried ? (problemOfValue(values[index]!) ?? undefined) : undefined}
                  onChange={({ target }) =>
                    onChange({ values: values.map((value, at) => (at === index ? target.value : value)) })
                  }
                />
                <Personalize
                  number={index + 1}
                  field={draft.fields[index] ?? null}
                  onChange={(field) =>
                    onChange({
                      fields: labels.map((_, at) => (at === index ? field : (draft.fields[at] ?? null))),
                    })
                  }
                />
              </Fragment>
            ))}
          {!takesValues && (
            <p className="text-soft">{t`No values to fill in. Everyone receives the same text.`}</p>
          )}
          <button type="submit" hidden />
        </form>
      </Section>
      <FirstPreview draft={draft} template={template} shared={values} />
    </div>
  )
}

/** The message as a recipient will see it; rows can be paged through. */
const FirstPreview = ({
  draft,
  template,
  shared,
}: {
  draft: Draft
  template: RichTemplate
  shared: string[]
}) => {
  const [at, setAt] = useState(0)
  const rows = draft.way === 'recipients' ? draft.table.rows : []
  const row = rows[Math.min(at, rows.length - 1)]
  const first = useFirstRecipient(draft)
  const file = useHeaderFile(draft)
  const parameters = row?.parameters ?? shared
  const name = row ? (row.name ?? row.phone) : first
  return (
    <aside className="stack stick" aria-label={t`Preview`}>
      <div className="row row--between">
        <p className="text-soft text-small">
          {name ? rich`What ${<bdi>{name}</bdi>} will receive` : t`What everyone will receive`}
        </p>
        {rows.length > 1 && (
          <span className="row">
            <IconButton
              icon={ChevronLeft}
              size="small"
              label={t`Previous row`}
              disabled={at === 0}
              onClick={() => setAt(at - 1)}
            />
            <IconButton
              icon={ChevronRight}
              size="small"
              label={t`Next row`}
              disabled={at >= rows.length - 1}
              onClick={() => setAt(at + 1)}
            />
          </span>
        )}
      </div>
      <TemplateBubble
        template={template}
        values={row?.parameters ?? valuesFor(draft, template, row ? (row.name ?? null) : first)}
        file={file}
      />
      <TestSend
        draft={draft}
        template={template}
        parameters={parameters}
        isReady={isTemplateReady(draft, template)}
      />
    </aside>
  )
}
