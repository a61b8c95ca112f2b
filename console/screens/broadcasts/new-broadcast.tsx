// A broadcast in four steps. The step is in the URL, so Back goes to the previous step; nothing is sent before the last
// one.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useApi } from '../../state/session.tsx'
import { templatesQuery } from '../../state/templates.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Stepper } from '../../ui/stepper.tsx'
import { t } from '../../words/t.ts'
import { AudienceStep } from './audience-step.tsx'
import { ConfirmStep } from './confirm-step.tsx'
import { audienceOf, isTemplateReady } from './draft.ts'
import { useKeptDraft } from './kept-draft.ts'
import { PreviewStep, useAudiencePreview } from './preview-step.tsx'
import { TemplateStep } from './template-step.tsx'

const STEPS = [t`Audience`, t`Template`, t`Preview`, t`Confirm`]

export const NewBroadcast = () => {
  const api = useApi()
  const { step: wanted = 1, group, template: named, language } = useSearch({ from: '/signed/broadcasts/new' })
  const navigate = useNavigate({ from: '/broadcasts/new' })
  const { draft, sendKey, change, forget, startOver } = useKeptDraft(
    {
      ...(group && { way: 'group', groupId: group }),
      ...(named && { templateName: named, language: language ?? '' }),
    },
    wanted === 1 && (group !== undefined || named !== undefined),
  )
  const { data } = useQuery(templatesQuery(api))
  const template = data?.templates.find(
    ({ name, language }) => name === draft.templateName && language === draft.language,
  )
  const audience = audienceOf(draft, template)
  const isFilled = audience !== null && isTemplateReady(draft, template)
  const preview = useAudiencePreview({
    draft,
    audience,
    template,
    isWanted: isFilled && wanted >= 3,
  })
  const reachable = audience === null ? 1 : !isFilled ? 2 : preview.data && preview.data.reachable > 0 ? 4 : 3
  const step = Math.min(wanted, reachable, STEPS.length)

  const go = (next: number): void => {
    void navigate({ search: (known) => ({ ...known, step: next > 1 ? next : undefined }) })
  }
  // Screen readers start at the heading of the new step.
  const place = useRef<HTMLDivElement>(null)
  const shownStep = useRef(step)
  useEffect(() => {
    if (shownStep.current === step) return
    shownStep.current = step
    place.current?.querySelector('h2')?.focus()
    document.getElementById('main')?.scrollTo({ top: 0 })
  }, [step])

  return (
    <Page
      title={t`New broadcast`}
      back={<BackLink to="/broadcasts">{t`Broadcasts`}</BackLink>}
      actions={
        draft.way !== null && (
          <Button
            icon={RotateCcw}
            onClick={() => {
              startOver()
              go(1)
            }}
          >
            {t`Start over`}
          </Button>
        )
      }
    >
      <Stepper label={t`Steps`} steps={STEPS} current={step} reachable={reachable} onStep={go} />
      <div ref={place} className="stack stack--loose">
        {step === 1 && (
          <AudienceStep draft={draft} onChange={change} onNext={audience ? () => go(2) : undefined} />
        )}
        {step === 2 && (
          <TemplateStep
            draft={draft}
            template={template}
            onChange={change}
            onBack={() => go(1)}
            onNext={() => go(3)}
          />
        )}
        {step === 3 && (
          <PreviewStep
            draft={draft}
            preview={preview}
            onBack={() => go(2)}
            onNext={reachable >= 4 ? () => go(4) : undefined}
          />
        )}
        {step === 4 && audience && template && preview.data && (
          <ConfirmStep
            draft={draft}
            audience={audience}
            template={template}
            preview={preview.data}
            sendKey={sendKey}
            onSent={forget}
            onRefused={() => change({})}
            onChange={change}
            onBack={() => go(3)}
          />
        )}
      </div>
    </Page>
  )
}
