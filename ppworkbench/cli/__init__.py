"""The command line: parser, options, files, output; the commands have a folder of their own."""
