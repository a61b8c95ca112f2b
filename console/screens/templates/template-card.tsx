import { Megaphone } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../../state/session.tsx'
import { needsHeaderFile } from '../../state/template-text.ts'
import { categoryOf, languageName, preferredVersion, refusalOf, statusOf } from '../../state/templates.ts'
import type { RichTemplate } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { LanguageChoice } from '../../ui/language-choice.tsx'
import { TemplateBubble } from '../../ui/template-bubble.tsx'
import { rich, t } from '../../words/t.ts'

/** A template with its languages, of which one is shown. */
export const TemplateCard = ({ name, versions }: { name: string; versions: RichTemplate[] }) => {
  const { can } = useSession()
  const [language, setLanguage] = useState(() => preferredVersion(versions).language)
  const shown = versions.find((version) => version.language === language) ?? versions[0]!
  const { text, tone } = statusOf(shown.status)
  return (
    <li className="gallery__card">
      <div className="gallery__head">
        <div className="row row--between row--top">
          <h2 className="gallery__name">{name}</h2>
          <Badge tone={tone}>{text}</Badge>
        </div>
        <div className="row row--wrap">
          <Badge>{categoryOf(shown.category)}</Badge>
          {versions.length > 1 ? (
            <LanguageChoice
              label={t`Language of ${name}`}
              languages={versions.map((version) => version.language)}
              value={shown.language}
              onChange={setLanguage}
            />
          ) : (
            <span className="text-soft text-small">{languageName(shown.language)}</span>
          )}
        </div>
      </div>
      <TemplateBubble template={shown} isFlush />
      <div className="gallery__foot">
        <Sendable template={shown} />
        {shown.isSendable && can('send_broadcasts') && !needsHeaderFile(shown) && (
          <div className="gallery__actions">
            <ButtonLink
              size="small"
              variant="ghost"
              icon={Megaphone}
              to="/broadcasts/new"
              search={{ template: name, language: shown.language }}
            >
              {t`Use in a broadcast`}
            </ButtonLink>
          </div>
        )}
      </div>
    </li>
  )
}

const Sendable = ({ template }: { template: RichTemplate }) => {
  const refusal = refusalOf(template)
  const numbers = template.sendingNumbers.map(({ address }) => address)
  return (
    <>
      {refusal && <p className="text-danger">{rich`Rejected by WhatsApp: ${refusal.toLowerCase()}`}</p>}
      {numbers.length > 0 ? (
        <p>
          {t`Sent from`} <span className="numeric">{numbers.join(', ')}</span>
        </p>
      ) : (
        <p>
          {template.status === 'APPROVED'
            ? t`Can’t be sent from here: it has parts Foyer can’t fill in.`
            : t`No connected number can send it right now.`}
        </p>
      )}
    </>
  )
}
