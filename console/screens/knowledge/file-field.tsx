import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'
import { FILE_ENDINGS } from './source-words.ts'

/** Opens the system's dialog for documents that can be read. */
export const FileField = ({
  label,
  isMultiple = false,
  isBusy = false,
  onFiles,
}: {
  label: string
  isMultiple?: boolean
  isBusy?: boolean
  onFiles: (files: File[]) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className="field">
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={FILE_ENDINGS}
        multiple={isMultiple}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // The same file may be chosen again.
          target.value = ''
        }}
      />
      <div>
        <Button icon={FileUp} isBusy={isBusy} onClick={() => input.current?.click()}>
          {label}
        </Button>
      </div>
      {isMultiple && (
        <p className="text-soft text-small">{t`PDF, Word, Markdown, text or CSV, up to 10 MB each.`}</p>
      )}
    </div>
  )
}
