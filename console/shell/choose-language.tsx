import { useMutation } from '@tanstack/react-query'
import { request } from '../state/api.ts'
import { Select } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { chooseLanguage, LANGUAGES, type Language } from '../words/language.ts'
import { LANGUAGE } from '../words/locale.ts'
import { t } from '../words/t.ts'

const OPTIONS = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))

export const ChooseLanguage = ({ onClose }: { onClose: () => void }) => {
  const save = useMutation({
    mutationFn: async (language: string) => {
      await request('PUT', '/session/language', { body: { language, isChosen: true } })
      chooseLanguage(language as Language)
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={t`Language`}
      save={save}
      onSubmit={({ language = LANGUAGE }) => save.mutate(language)}
      onClose={onClose}
    >
      <Select
        label={t`Language`}
        name="language"
        hint={t`Also of your notifications and emails. The page loads anew; drafts are kept.`}
        defaultValue={LANGUAGE}
        options={OPTIONS}
        autoFocus
      />
    </FormDialog>
  )
}
