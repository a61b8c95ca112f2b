// Which language the texts of a form are shown and edited in.
import { Languages } from 'lucide-react'
import { OFFERED_LANGUAGES } from '../../../state/languages.ts'
import { languageName } from '../../../state/templates.ts'
import { LanguageChoice } from '../../../ui/language-choice.tsx'
import { t } from '../../../words/t.ts'
import { languagesOf } from '../definition/localized.ts'
import { useEditor } from '../editor-context.tsx'
import { PickPopover } from './pick-popover.tsx'

export const LanguageBar = () => {
  const { definition, language, setLanguage, isReadOnly } = useEditor()
  const used = languagesOf(definition)
  const shown = used.includes(language) ? used : [...used, language]
  if (isReadOnly && shown.length === 1) return null
  return (
    <div className="row row--wrap">
      {shown.length > 1 && (
        <LanguageChoice
          label={t`Language of the texts`}
          languages={shown}
          value={language}
          onChange={setLanguage}
        />
      )}
      {!isReadOnly && (
        <PickPopover
          label={t`Languages`}
          button={shown.length === 1 ? t`Translate` : t`Add language`}
          icon={Languages}
          items={() =>
            OFFERED_LANGUAGES.filter((one) => !shown.includes(one)).map((id) => ({
              id,
              text: languageName(id),
            }))
          }
          onPick={setLanguage}
        />
      )}
    </div>
  )
}
