/*
 * expat_alone.c
 *		Times expat over a file of XML, without handlers: what no reader that stands on it can beat.
 *
 *	expat_alone FILE SAMPLES
 *
 * The file is read into memory and fed in blocks of 64 kB, as in reader_bench.c.  Prints a line of row, side,
 * size, work, seconds (README.md).
 */
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 65536

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static char *
read_file(const char *name, long *size)
{
	FILE	   *file = fopen(name, "rb");
	char	   *text = NULL;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (*size = ftell(file)) < 0)
		return NULL;
	rewind(file);
	text = malloc((size_t) *size + 1);
	if (text != NULL && fread(text, 1, (size_t) *size, file) != (size_t) *size)
		*size = -1;
	fclose(file);
	return *size < 0 ? NULL : text;
}

int
main(int argc, char **argv)
{
	long		size = 0;
	char	   *text = argc == 3 ? read_file(argv[1], &size) : NULL;
	XML_Parser	parser = XML_ParserCreate(NULL);
	double		start = now();

	if (text == NULL || parser == NULL)
	{
		fprintf(stderr, "usage: expat_alone FILE SAMPLES\n");
		return 1;
	}
	for (long done = 0; done < size; done += BLOCK)
	{
		long		part = size - done < BLOCK ? size - done : BLOCK;

		if (XML_Parse(parser, text + done, (int) part, done + part == size) != XML_STATUS_OK)
		{
			fprintf(stderr, "expat_alone: %s\n", XML_ErrorString(XML_GetErrorCode(parser)));
			return 1;
		}
	}
	printf("format_instruments\texpat\t%s\t%ld\t%.9f\n", argv[2], size, now() - start);
	XML_ParserFree(parser);
	free(text);
	return 0;
}
