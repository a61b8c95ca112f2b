import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { t } from '../../../words/t.ts'

/** Around the form of a row: Escape and Ctrl+Enter go back to the row. Changes are saved already. */
export const FormPlace = ({ onClose, children }: { onClose: () => void; children: ReactNode }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only listens to what the fields inside don't use
  <div
    className="form-place"
    onKeyDown={(event) => {
      const leaves = event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      // Events of popups come here too, though they are elsewhere on the page.
      const isOwn = event.target instanceof Node && event.currentTarget.contains(event.target)
      if (!leaves || !isOwn || event.defaultPrevented || event.nativeEvent.isComposing) return
      event.preventDefault()
      onClose()
    }}
  >
    {children}
    <div className="row row--end">
      <Button size="small" onClick={onClose}>
        {t`Done`}
      </Button>
    </div>
  </div>
)
