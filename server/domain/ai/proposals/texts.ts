// What customers are told about an action that the AI agent proposes. Its name and values are put below.
import { baseOf } from '../../../../flow-engine/language.ts'

type Texts = {
  ask: string
  askPerson: string
  done: string
  failed: string
  unknown: string
  declined: string
  tooLate: string
}

const TEXTS: Record<string, Texts> = {
  en: {
    ask: 'Shall I do this?',
    askPerson: 'A colleague has to look at this first:',
    done: 'Done.',
    failed: 'That didn’t work.',
    unknown: 'I couldn’t make sure that this worked.',
    declined: 'All right, I won’t do that.',
    tooLate: 'This can no longer be confirmed. If you still want it, please tell me again.',
  },
  de: {
    ask: 'Soll ich das tun?',
    askPerson: 'Das muss sich erst jemand aus unserem Team ansehen:',
    done: 'Erledigt.',
    failed: 'Das hat nicht geklappt.',
    unknown: 'Ich konnte nicht feststellen, ob das geklappt hat.',
    declined: 'In Ordnung, ich lasse es.',
    tooLate:
      'Das lässt sich nicht mehr bestätigen. Wenn Sie es noch möchten, schreiben Sie es mir bitte noch einmal.',
  },
  es: {
    ask: '¿Quiere que lo haga?',
    askPerson: 'Antes tiene que revisarlo una persona de nuestro equipo:',
    done: 'Hecho.',
    failed: 'No ha funcionado.',
    unknown: 'No he podido comprobar si ha funcionado.',
    declined: 'De acuerdo, no lo haré.',
    tooLate: 'Esto ya no se puede confirmar. Si todavía lo quiere, dígamelo otra vez, por favor.',
  },
  pt: {
    ask: 'Quer que eu faça isso?',
    askPerson: 'Antes, alguém da nossa equipe precisa ver isto:',
    done: 'Feito.',
    failed: 'Não funcionou.',
    unknown: 'Não consegui verificar se funcionou.',
    declined: 'Tudo bem, não vou fazer isso.',
    tooLate: 'Isso não pode mais ser confirmado. Se ainda quiser, diga de novo, por favor.',
  },
  it: {
    ask: 'Vuole che lo faccia?',
    askPerson: 'Prima deve vederlo una persona del nostro team:',
    done: 'Fatto.',
    failed: 'Non ha funzionato.',
    unknown: 'Non sono riuscito a verificare se ha funzionato.',
    declined: 'Va bene, non lo farò.',
    tooLate: 'Non è più possibile confermarlo. Se lo desidera ancora, me lo scriva di nuovo.',
  },
  nl: {
    ask: 'Zal ik dit doen?',
    askPerson: 'Hier moet eerst een collega naar kijken:',
    done: 'Gedaan.',
    failed: 'Dat is niet gelukt.',
    unknown: 'Ik kon niet nagaan of dat is gelukt.',
    declined: 'Goed, dan doe ik het niet.',
    tooLate: 'Dit kan niet meer worden bevestigd. Als u het nog wilt, laat het me dan opnieuw weten.',
  },
  pl: {
    ask: 'Czy mam to zrobić?',
    askPerson: 'Najpierw musi to sprawdzić ktoś z naszego zespołu:',
    done: 'Zrobione.',
    failed: 'To się nie udało.',
    unknown: 'Nie udało się sprawdzić, czy to zadziałało.',
    declined: 'Dobrze, nie zrobię tego.',
    tooLate: 'Nie można już tego potwierdzić. Jeśli nadal tego chcesz, napisz jeszcze raz.',
  },
  fr: {
    ask: 'Voulez-vous que je le fasse ?',
    askPerson: 'Une personne de notre équipe doit d’abord vérifier ceci :',
    done: 'C’est fait.',
    failed: 'Cela n’a pas fonctionné.',
    unknown: 'Je n’ai pas pu vérifier si cela a fonctionné.',
    declined: 'D’accord, je ne le ferai pas.',
    tooLate: 'Cela ne peut plus être confirmé. Si vous le souhaitez encore, dites-le-moi de nouveau.',
  },
  tr: {
    ask: 'Bunu yapayım mı?',
    askPerson: 'Önce ekibimizden birinin buna bakması gerekiyor:',
    done: 'Tamamlandı.',
    failed: 'Bu işe yaramadı.',
    unknown: 'Bunun gerçekleşip gerçekleşmediğini doğrulayamadım.',
    declined: 'Tamam, bunu yapmayacağım.',
    tooLate: 'Bu artık onaylanamaz. Hâlâ istiyorsanız lütfen yeniden yazın.',
  },
  ru: {
    ask: 'Сделать это?',
    askPerson: 'Сначала это должен посмотреть наш сотрудник:',
    done: 'Готово.',
    failed: 'Не получилось.',
    unknown: 'Не удалось проверить, получилось ли это.',
    declined: 'Хорошо, я не буду этого делать.',
    tooLate: 'Это уже нельзя подтвердить. Если это ещё нужно, напишите, пожалуйста, снова.',
  },
  uk: {
    ask: 'Зробити це?',
    askPerson: 'Спочатку це має переглянути наш співробітник:',
    done: 'Готово.',
    failed: 'Не вийшло.',
    unknown: 'Не вдалося перевірити, чи це вийшло.',
    declined: 'Добре, я цього не робитиму.',
    tooLate: 'Це вже не можна підтвердити. Якщо це ще потрібно, напишіть, будь ласка, знову.',
  },
  ar: {
    ask: 'هل تريد أن أقوم بذلك؟',
    askPerson: 'يجب أن يطّلع أحد زملائنا على هذا أولاً:',
    done: 'تم.',
    failed: 'لم ينجح ذلك.',
    unknown: 'لم أتمكن من التأكد مما إذا كان ذلك قد نجح.',
    declined: 'حسنًا، لن أقوم بذلك.',
    tooLate: 'لم يعد من الممكن تأكيد هذا. إذا كنت لا تزال تريده، فأخبرني مرة أخرى من فضلك.',
  },
}

/** In English where there is no other. */
export const proposalText = (name: keyof Texts, language: string): string =>
  (Object.hasOwn(TEXTS, baseOf(language)) ? TEXTS[baseOf(language)]! : TEXTS.en!)[name]
