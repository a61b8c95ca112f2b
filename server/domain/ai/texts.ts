// What the AI agent says beside its answers, in twelve languages; English elsewhere.
import { foldText } from '../../../flow-engine/fold-text.ts'
import { baseOf } from '../../../flow-engine/language.ts'

type Texts = {
  /** Its first words. `{{name}}` and `{{workspace}}` are put in. */
  disclosure: string
  namedDisclosure: string
  greeting: string
  offer: string
  unclear: string
  /** The button that says that an answer helped; at most 20 characters, as WhatsApp's buttons. */
  helped: string
  someoneReplies: string
  /** With how long it usually takes: `{{within}}`. */
  usuallyReplies: string
  closedUntil: string
  closed: string
  /** Where else they can be reached, while nobody is there. */
  leaveAddress: string
  /** To somebody who may harm themselves. Numbers differ by country, so it names none but the way to find one. */
  selfHarm: string
  /** To a message that is only after its instructions. */
  aboutItself: string
}

const TEXTS: Record<string, Texts> = {
  en: {
    disclosure: 'I’m the automatic assistant of {{workspace}}.',
    namedDisclosure: 'I’m {{name}}, the automatic assistant of {{workspace}}.',
    greeting: 'What would you like to know?',
    offer: 'Is it one of these?',
    unclear: 'Sorry, I couldn’t find anything about that. Could you put it another way?',
    helped: 'Yes, that helped',
    someoneReplies: 'Someone from our team will reply here.',
    usuallyReplies: 'Someone from our team will reply here, usually within {{within}}.',
    closedUntil:
      'We’re closed right now. Someone from our team will reply here once we’re back {{hours.opensAt|day}} at {{hours.opensAt|time}}.',
    closed: 'We’re closed right now. Someone from our team will reply here once we’re back.',
    leaveAddress: 'If you leave your email address or phone number here, we can also reach you that way.',
    selfHarm:
      'I’m really sorry that you’re going through this. You don’t have to face it alone. If you’re in immediate danger, please call your local emergency number now. Free, confidential helplines in your country are listed at findahelpline.com. Someone from our team has been alerted and will read this.',
    aboutItself: 'I can’t share how I’m set up, but I’m happy to help with a question about {{workspace}}.',
  },
  de: {
    disclosure: 'Ich bin der automatische Assistent von {{workspace}}.',
    namedDisclosure: 'Ich bin {{name}}, der automatische Assistent von {{workspace}}.',
    greeting: 'Was möchten Sie wissen?',
    offer: 'Geht es um eines davon?',
    unclear: 'Dazu habe ich leider nichts gefunden. Können Sie es anders formulieren?',
    helped: 'Ja, das hat geholfen',
    someoneReplies: 'Jemand aus unserem Team antwortet Ihnen hier.',
    usuallyReplies: 'Jemand aus unserem Team antwortet Ihnen hier, meist innerhalb von {{within}}.',
    closedUntil:
      'Wir haben gerade geschlossen und sind {{hours.opensAt|day}} ab {{hours.opensAt|time}} Uhr wieder da. Dann antwortet Ihnen hier jemand aus unserem Team.',
    closed:
      'Wir haben gerade geschlossen. Sobald wir wieder da sind, antwortet Ihnen hier jemand aus unserem Team.',
    leaveAddress:
      'Wenn Sie uns hier Ihre E-Mail-Adresse oder Telefonnummer hinterlassen, können wir Sie auch dort erreichen.',
    selfHarm:
      'Es tut mir sehr leid, dass es Ihnen so geht. Sie müssen das nicht allein durchstehen. Wenn Sie in unmittelbarer Gefahr sind, rufen Sie bitte jetzt den Notruf. Kostenlose, vertrauliche Hilfe in Ihrem Land finden Sie unter findahelpline.com. Unser Team wurde benachrichtigt und liest das.',
    aboutItself:
      'Wie ich eingerichtet bin, kann ich nicht sagen. Bei Fragen zu {{workspace}} helfe ich Ihnen gern.',
  },
  es: {
    disclosure: 'Soy el asistente automático de {{workspace}}.',
    namedDisclosure: 'Soy {{name}}, el asistente automático de {{workspace}}.',
    greeting: '¿Qué desea saber?',
    offer: '¿Es una de estas?',
    unclear: 'Lo siento, no he encontrado nada sobre eso. ¿Puede decirlo de otra forma?',
    helped: 'Sí, me ha ayudado',
    someoneReplies: 'Una persona de nuestro equipo le responderá aquí.',
    usuallyReplies: 'Una persona de nuestro equipo le responderá aquí, normalmente en {{within}} o menos.',
    closedUntil:
      'Ahora estamos cerrados. Volvemos a abrir: {{hours.opensAt|day}}, {{hours.opensAt|time}}. Entonces una persona de nuestro equipo le responderá aquí.',
    closed: 'Ahora estamos cerrados. Cuando abramos, una persona de nuestro equipo le responderá aquí.',
    leaveAddress:
      'Si nos deja aquí su correo electrónico o su número de teléfono, también podremos contactarle por esa vía.',
    selfHarm:
      'Siento mucho que esté pasando por esto. No tiene que afrontarlo a solas. Si está en peligro inmediato, llame ahora al número de emergencias. En findahelpline.com encontrará líneas de ayuda gratuitas y confidenciales de su país. Nuestro equipo ha recibido un aviso y lo leerá.',
    aboutItself:
      'No puedo contarle cómo estoy configurado, pero le ayudo con gusto si tiene una pregunta sobre {{workspace}}.',
  },
  pt: {
    disclosure: 'Sou o assistente automático de {{workspace}}.',
    namedDisclosure: 'Sou {{name}}, o assistente automático de {{workspace}}.',
    greeting: 'O que você gostaria de saber?',
    offer: 'É uma destas?',
    unclear: 'Desculpe, não encontrei nada sobre isso. Pode dizer de outra forma?',
    helped: 'Sim, isso ajudou',
    someoneReplies: 'Alguém da nossa equipe vai responder aqui.',
    usuallyReplies: 'Alguém da nossa equipe vai responder aqui, normalmente em até {{within}}.',
    closedUntil:
      'Estamos fechados agora e voltamos {{hours.opensAt|day}} às {{hours.opensAt|time}}. Alguém da nossa equipe vai responder aqui.',
    closed: 'Estamos fechados agora. Quando voltarmos, alguém da nossa equipe vai responder aqui.',
    leaveAddress:
      'Se você deixar aqui seu e-mail ou número de telefone, também podemos falar com você por lá.',
    selfHarm:
      'Sinto muito que você esteja passando por isso. Você não precisa enfrentar isso sem apoio. Se estiver em perigo imediato, ligue agora para o número de emergência. Em findahelpline.com há linhas de apoio gratuitas e sigilosas do seu país. Nossa equipe foi avisada e vai ler isto.',
    aboutItself:
      'Não posso dizer como fui configurado, mas ajudo com prazer se tiver uma pergunta sobre {{workspace}}.',
  },
  fr: {
    disclosure: 'Je suis l’assistant automatique de {{workspace}}.',
    namedDisclosure: 'Je suis {{name}}, l’assistant automatique de {{workspace}}.',
    greeting: 'Que souhaitez-vous savoir ?',
    offer: 'Est-ce l’une de ces questions ?',
    unclear: 'Désolé, je n’ai rien trouvé à ce sujet. Pouvez-vous le formuler autrement ?',
    helped: 'Oui, ça m’a aidé',
    someoneReplies: 'Une personne de notre équipe vous répondra ici.',
    usuallyReplies: 'Une personne de notre équipe vous répondra ici, généralement en {{within}} ou moins.',
    closedUntil:
      'Nous sommes fermés et serons de retour {{hours.opensAt|day}} à {{hours.opensAt|time}}. Une personne de notre équipe vous répondra ici.',
    closed: 'Nous sommes fermés. À notre retour, une personne de notre équipe vous répondra ici.',
    leaveAddress:
      'Si vous nous laissez ici votre adresse e-mail ou votre numéro de téléphone, nous pourrons aussi vous joindre par ce moyen.',
    selfHarm:
      'Je suis vraiment désolé que vous traversiez cela. Vous n’êtes pas seul face à cela. En cas de danger immédiat, appelez tout de suite le numéro d’urgence. Sur findahelpline.com, vous trouverez des lignes d’écoute gratuites et confidentielles dans votre pays. Notre équipe a été prévenue et lira votre message.',
    aboutItself:
      'Je ne peux pas dire comment je suis configuré, mais je réponds volontiers à vos questions sur {{workspace}}.',
  },
  it: {
    disclosure: 'Sono l’assistente automatico di {{workspace}}.',
    namedDisclosure: 'Sono {{name}}, l’assistente automatico di {{workspace}}.',
    greeting: 'Che cosa desidera sapere?',
    offer: 'È una di queste?',
    unclear: 'Mi dispiace, non ho trovato nulla in proposito. Può dirlo in un altro modo?',
    helped: 'Mi ha aiutato',
    someoneReplies: 'Una persona del nostro team le risponderà qui.',
    usuallyReplies: 'Una persona del nostro team le risponderà qui, di solito entro {{within}}.',
    closedUntil:
      'Al momento siamo chiusi. Riapriamo: {{hours.opensAt|day}}, {{hours.opensAt|time}}. Una persona del nostro team le risponderà qui.',
    closed: 'Al momento siamo chiusi. Quando riapriremo, una persona del nostro team le risponderà qui.',
    leaveAddress:
      'Se ci lascia qui il Suo indirizzo e-mail o numero di telefono, possiamo raggiungerLa anche lì.',
    selfHarm:
      'Mi dispiace molto che stia attraversando questo momento. Non deve affrontarlo senza aiuto. Se è in pericolo immediato, chiami subito il numero di emergenza. Su findahelpline.com trova linee di ascolto gratuite e riservate del suo Paese. Il nostro team è stato avvisato e leggerà il suo messaggio.',
    aboutItself:
      'Non posso dire come sono configurato, ma la aiuto volentieri se ha una domanda su {{workspace}}.',
  },
  nl: {
    disclosure: 'Ik ben de automatische assistent van {{workspace}}.',
    namedDisclosure: 'Ik ben {{name}}, de automatische assistent van {{workspace}}.',
    greeting: 'Wat wilt u weten?',
    offer: 'Is het een van deze?',
    unclear: 'Sorry, daar kon ik niets over vinden. Kunt u het anders formuleren?',
    helped: 'Dat helpt me',
    someoneReplies: 'Iemand van ons team antwoordt u hier.',
    usuallyReplies: 'Iemand van ons team antwoordt u hier, meestal binnen {{within}}.',
    closedUntil:
      'We zijn nu gesloten en zijn {{hours.opensAt|day}} om {{hours.opensAt|time}} weer open. Iemand van ons team antwoordt u dan hier.',
    closed: 'We zijn nu gesloten. Zodra we weer open zijn, antwoordt iemand van ons team u hier.',
    leaveAddress: 'Als u hier uw e-mailadres of telefoonnummer achterlaat, kunnen we u ook daar bereiken.',
    selfHarm:
      'Wat erg dat u dit doormaakt. U hoeft dit niet alleen te dragen. Bent u in direct gevaar, bel dan nu het alarmnummer. Op findahelpline.com vindt u gratis, vertrouwelijke hulplijnen in uw land. Ons team is gewaarschuwd en leest uw bericht.',
    aboutItself:
      'Hoe ik ben ingesteld, kan ik niet vertellen. Met een vraag over {{workspace}} help ik u graag.',
  },
  pl: {
    disclosure: 'Jestem automatycznym asystentem {{workspace}}.',
    namedDisclosure: 'Jestem {{name}}, automatyczny asystent {{workspace}}.',
    greeting: 'W czym mogę pomóc?',
    offer: 'Czy chodzi o jedną z tych spraw?',
    unclear: 'Przepraszam, nie udało mi się nic na ten temat znaleźć. Czy można to ująć inaczej?',
    helped: 'To pomogło',
    someoneReplies: 'Odpowie tu ktoś z naszego zespołu.',
    usuallyReplies: 'Odpowie tu ktoś z naszego zespołu, zwykle w ciągu {{within}}.',
    closedUntil:
      'Teraz jest zamknięte. Otwieramy: {{hours.opensAt|day}}, {{hours.opensAt|time}}. Wtedy odpowie tu ktoś z naszego zespołu.',
    closed: 'Teraz jest zamknięte. Gdy wrócimy, odpowie tu ktoś z naszego zespołu.',
    leaveAddress:
      'Jeśli zostawisz tutaj swój adres e-mail lub numer telefonu, możemy skontaktować się z Tobą także w ten sposób.',
    selfHarm:
      'Bardzo mi przykro, że przechodzi Pan/Pani przez coś tak trudnego. Nie trzeba zmagać się z tym w samotności. W razie bezpośredniego zagrożenia proszę natychmiast zadzwonić pod numer alarmowy. Na findahelpline.com są bezpłatne i poufne telefony zaufania w każdym kraju. Nasz zespół otrzymał powiadomienie i przeczyta tę wiadomość.',
    aboutItself: 'Nie mogę zdradzić, jak działam, ale chętnie pomogę, jeśli chodzi o {{workspace}}.',
  },
  tr: {
    disclosure: 'Ben {{workspace}} otomatik asistanıyım.',
    namedDisclosure: 'Ben {{name}}, {{workspace}} otomatik asistanıyım.',
    greeting: 'Ne öğrenmek istersiniz?',
    offer: 'Bunlardan biri mi?',
    unclear: 'Üzgünüm, bununla ilgili bir şey bulamadım. Başka bir şekilde ifade edebilir misiniz?',
    helped: 'İşime yaradı',
    someoneReplies: 'Ekibimizden biri size buradan cevap verecek.',
    usuallyReplies: 'Ekibimizden biri size buradan cevap verecek; bu genellikle en fazla {{within}} sürer.',
    closedUntil:
      'Şu anda kapalıyız. Açılış: {{hours.opensAt|day}}, {{hours.opensAt|time}}. O zaman ekibimizden biri size buradan cevap verecek.',
    closed: 'Şu anda kapalıyız. Açıldığımızda ekibimizden biri size buradan cevap verecek.',
    leaveAddress:
      'E-posta adresinizi veya telefon numaranızı buraya bırakırsanız size oradan da ulaşabiliriz.',
    selfHarm:
      'Bunları yaşadığınız için çok üzgünüm. Bununla tek başınıza mücadele etmek zorunda değilsiniz. Acil bir tehlikedeyseniz lütfen hemen acil yardım numarasını arayın. findahelpline.com adresinde ülkenizdeki ücretsiz ve gizli destek hatlarını bulabilirsiniz. Ekibimize haber verildi, mesajınızı okuyacaklar.',
    aboutItself:
      'Nasıl ayarlandığımı paylaşamam, ama {{workspace}} hakkındaki sorularınıza memnuniyetle yardımcı olurum.',
  },
  ru: {
    disclosure: 'Я автоматический помощник {{workspace}}.',
    namedDisclosure: 'Я {{name}}, автоматический помощник {{workspace}}.',
    greeting: 'Что вы хотели бы узнать?',
    offer: 'Это один из этих вопросов?',
    unclear: 'Извините, по этому вопросу ничего не нашлось. Можете сказать иначе?',
    helped: 'Это помогло',
    someoneReplies: 'Вам ответит здесь кто-то из нашей команды.',
    usuallyReplies: 'Вам ответит здесь кто-то из нашей команды, обычно в течение {{within}}.',
    closedUntil:
      'Сейчас мы не работаем. Откроемся: {{hours.opensAt|day}}, {{hours.opensAt|time}}. Тогда вам ответит здесь кто-то из нашей команды.',
    closed: 'Сейчас мы не работаем. Когда мы вернёмся, вам ответит здесь кто-то из нашей команды.',
    leaveAddress:
      'Если вы оставите здесь свой адрес электронной почты или номер телефона, мы сможем связаться с вами и так.',
    selfHarm:
      'Мне очень жаль, что вам сейчас так тяжело. Вы не обязаны справляться с этим в одиночку. Если вам угрожает непосредственная опасность, пожалуйста, сейчас же позвоните в экстренную службу. На сайте findahelpline.com есть бесплатные анонимные телефоны доверия вашей страны. Наша команда получила уведомление и прочитает ваше сообщение.',
    aboutItself: 'Я не могу рассказать, как я настроен, но с радостью помогу с вопросом о {{workspace}}.',
  },
  uk: {
    disclosure: 'Я автоматичний помічник {{workspace}}.',
    namedDisclosure: 'Я {{name}}, автоматичний помічник {{workspace}}.',
    greeting: 'Що б ви хотіли дізнатися?',
    offer: 'Це одне з цих питань?',
    unclear: 'Вибачте, про це нічого не знайшлося. Можете сказати інакше?',
    helped: 'Це допомогло',
    someoneReplies: 'Вам відповість тут хтось із нашої команди.',
    usuallyReplies: 'Вам відповість тут хтось із нашої команди, зазвичай протягом {{within}}.',
    closedUntil:
      'Зараз ми не працюємо. Відчинимося: {{hours.opensAt|day}}, {{hours.opensAt|time}}. Тоді вам відповість тут хтось із нашої команди.',
    closed: 'Зараз ми не працюємо. Коли ми повернемося, вам відповість тут хтось із нашої команди.',
    leaveAddress:
      'Якщо ви залишите тут свою електронну адресу або номер телефону, ми зможемо зв’язатися з вами і так.',
    selfHarm:
      'Мені дуже шкода, що вам зараз так важко. Ви не мусите долати це наодинці. Якщо вам загрожує безпосередня небезпека, будь ласка, зараз же зателефонуйте до екстреної служби. На сайті findahelpline.com є безкоштовні анонімні телефони довіри вашої країни. Нашу команду сповіщено, і вона прочитає ваше повідомлення.',
    aboutItself: 'Я не можу розповісти, як мене налаштовано, але радо допоможу з питанням про {{workspace}}.',
  },
  ar: {
    disclosure: 'أنا المساعد الآلي لـ {{workspace}}.',
    namedDisclosure: 'أنا {{name}}، المساعد الآلي لـ {{workspace}}.',
    greeting: 'ما الذي تود معرفته؟',
    offer: 'هل هو أحد هذه؟',
    unclear: 'عذرًا، لم أجد شيئًا عن ذلك. هل يمكنك صياغته بطريقة أخرى؟',
    helped: 'نعم، أفادني ذلك',
    someoneReplies: 'سيرد عليك هنا أحد أعضاء فريقنا.',
    usuallyReplies: 'سيرد عليك هنا أحد أعضاء فريقنا، عادةً في غضون {{within}}.',
    closedUntil:
      'نحن مغلقون الآن. نفتح: {{hours.opensAt|day}}، {{hours.opensAt|time}}. وعندها سيرد عليك هنا أحد أعضاء فريقنا.',
    closed: 'نحن مغلقون الآن. عند عودتنا سيرد عليك هنا أحد أعضاء فريقنا.',
    leaveAddress: 'إذا تركت هنا بريدك الإلكتروني أو رقم هاتفك، فيمكننا التواصل معك بهذه الطريقة أيضًا.',
    selfHarm:
      'يؤسفني جدًا أنك تمر بهذا. لست مضطرًا إلى مواجهته وحدك. إذا كنت في خطر مباشر فيرجى الاتصال الآن برقم الطوارئ. على findahelpline.com تجد خطوط مساعدة مجانية وسرية في بلدك. تم تنبيه فريقنا وسيقرأ رسالتك.',
    aboutItself: 'لا يمكنني مشاركة طريقة إعدادي، لكن يسعدني مساعدتك في أي سؤال عن {{workspace}}.',
  },
}

/** The language it speaks to somebody of this language. */
export const ownLanguage = (language: string): string =>
  Object.hasOwn(TEXTS, baseOf(language)) ? language : 'en'

type WithValue = 'disclosure' | 'namedDisclosure' | 'aboutItself' | 'usuallyReplies'

export const ownText = (name: Exclude<keyof Texts, WithValue>, language: string): string =>
  TEXTS[baseOf(ownLanguage(language))]![name]

const HELPED = new Set(Object.values(TEXTS).map(({ helped }) => foldText(helped)))

/** The title of that button, typed in any of the languages. */
export const saysHelped = (text: string): boolean => HELPED.has(foldText(text))

export const disclosure = (language: string, names: { name: string | null; workspace: string }): string => {
  const { disclosure, namedDisclosure } = TEXTS[baseOf(ownLanguage(language))]!
  return (names.name === null ? disclosure : namedDisclosure).replaceAll(
    /\{\{(name|workspace)\}\}/g,
    (_, part: 'name' | 'workspace') => names[part] ?? '',
  )
}

/** The answer to a message that is only after its instructions. */
export const aboutItself = (language: string, workspace: string): string =>
  TEXTS[baseOf(ownLanguage(language))]!.aboutItself.replaceAll('{{workspace}}', () => workspace)

/** The answer to whether it is one: what it introduces itself with, if it hasn't just done so. */
export const aboutMachine = (
  language: string,
  { isFirst, ...names }: { name: string | null; workspace: string; isFirst: boolean },
): string => `${isFirst ? '' : `${disclosure(language, names)}\n\n`}${ownText('greeting', language)}`

const HOUR_MINUTES = 60

/** Somebody will reply, and how long that usually takes. */
export const usuallyReplies = (language: string, minutes: number): string => {
  const own = ownLanguage(language)
  const [count, unit] = minutes < HOUR_MINUTES ? [minutes, 'minute'] : [minutes / HOUR_MINUTES, 'hour']
  const within = new Intl.NumberFormat(own, { style: 'unit', unit, unitDisplay: 'short' }).format(count)
  return TEXTS[baseOf(own)]!.usuallyReplies.replaceAll('{{within}}', () => within)
}

export const OWN_LANGUAGES = Object.keys(TEXTS)
