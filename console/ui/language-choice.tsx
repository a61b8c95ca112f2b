import { languageName } from '../state/templates.ts'

/** A choice between a few languages, side by side. */
export const LanguageChoice = ({
  label,
  languages,
  value,
  onChange,
}: {
  label: string
  languages: string[]
  value: string
  onChange: (language: string) => void
}) => (
  <fieldset className="languages">
    <legend className="hidden-visually">{label}</legend>
    {languages.map((language) => (
      <button
        key={language}
        type="button"
        className="languages__one"
        aria-pressed={language === value}
        title={languageName(language)}
        onClick={() => onChange(language)}
      >
        {language}
      </button>
    ))}
  </fieldset>
)
