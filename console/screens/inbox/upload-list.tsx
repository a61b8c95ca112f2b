// The files attached to a reply; loaded when the first one is added.
import { X } from 'lucide-react'
import { sizeOf } from '../../state/dates.ts'
import { IconButton } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'
import type { useUploads } from './uploads.ts'

type Uploads = ReturnType<typeof useUploads>

const UploadList = ({ uploads, onRemove }: { uploads: Uploads['uploads']; onRemove: Uploads['remove'] }) => (
  <ul className="uploads">
    {uploads.map(({ key, name, size, progress, attachment, problem }) => (
      <li key={key} className={problem ? 'upload upload--failed' : 'upload'}>
        <bdi className="truncate">{name}</bdi>
        <span className="upload__about numeric">
          {problem ?? (attachment ? sizeOf(size) : `${Math.round(progress * 100)} %`)}
        </span>
        <IconButton
          icon={X}
          size="small"
          label={t`Remove ${name}`}
          hasTooltip={false}
          onClick={() => onRemove(key)}
        />
        {!attachment && !problem && (
          <progress className="upload__bar" value={progress} max={1} aria-label={t`Uploading ${name}`} />
        )}
      </li>
    ))}
  </ul>
)

export default UploadList
